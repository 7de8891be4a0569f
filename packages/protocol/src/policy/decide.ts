import type { Evaluation, PolicyViolation, PolicyWarning } from './evaluation.ts'
import type { EnforcementMode, Severity } from './policy.ts'

/** Mildest first; the decision is the worst of all findings. */
const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const
export type Decision = (typeof DECISIONS)[number]

export type DecisionReason = {
  code:
    | 'agent_paused'
    | 'agent_killed'
    | 'integrity_hold'
    | 'integrity_notice'
    | 'transaction'
    | 'evaluation_error'
    | PolicyViolation['type']
    | PolicyWarning['type']
  source: 'containment' | 'integrity' | 'transaction' | 'policy' | 'system'
  tool: string
  message: string
  severity: Severity | null
}

/** The state of the escalation that a call names. */
export type EscalationStanding = 'pending' | 'approved' | 'refused'

export type DecisionInput = {
  tool: string
  containment: 'active' | 'paused' | 'killed'
  /** The newest checkpoint is a violation; the effect depends on the agent's enforcement mode. */
  hold: boolean
  agentMode: 'observe' | 'nudge' | 'enforce'
  /** Undefined if no policy and no transaction applies. */
  policy?:
    | { outcome: 'evaluated'; evaluation: Evaluation; mode: EnforcementMode }
    | { outcome: 'failed'; failOpen: boolean }
    | undefined
  escalation?: EscalationStanding | undefined
}

export type CallDecision = {
  decision: Decision
  reasons: readonly DecisionReason[]
  /** The approval was consumed by this call and cannot be used again. */
  approvalUsed: boolean
}

type Weighed = DecisionReason & { decision: Decision }
const NONE: readonly Weighed[] = []

/**
 * Decides whether a tool may be called. A contained agent may call nothing, so nothing else is
 * checked.
 */
export function decideCall(input: DecisionInput): CallDecision {
  const contained = containmentReasons(input)
  const weighed =
    contained.length > 0 ? contained : integrityReasons(input).concat(policyReasons(input))
  // Fast path for the common case.
  if (weighed.length === 0) return { decision: 'allow', reasons: [], approvalUsed: false }
  const worst = Math.max(0, ...weighed.map((reason) => DECISIONS.indexOf(reason.decision)))
  const decision = DECISIONS[worst] ?? 'block'
  return {
    decision,
    reasons: weighed.map(({ decision: _, ...reason }) => reason),
    approvalUsed: decision !== 'block' && input.escalation === 'approved' && escalates(input),
  }
}

function containmentReasons({ containment, tool }: DecisionInput): readonly Weighed[] {
  if (containment === 'active') return NONE
  const code = containment === 'paused' ? 'agent_paused' : 'agent_killed'
  const message = `Agent is ${containment}`
  return [{ code, source: 'containment', tool, message, severity: null, decision: 'block' }]
}

function integrityReasons({ hold, agentMode, tool }: DecisionInput): readonly Weighed[] {
  if (!hold || agentMode === 'observe') return NONE
  const message = 'The last checkpoint is a boundary violation'
  const common = { source: 'integrity', tool, message, severity: null } as const
  return agentMode === 'enforce'
    ? [{ ...common, code: 'integrity_hold', decision: 'block' }]
    : [{ ...common, code: 'integrity_notice', decision: 'warn' }]
}

function policyReasons({ policy, tool, escalation }: DecisionInput): readonly Weighed[] {
  if (policy === undefined) return NONE
  if (policy.outcome === 'failed') {
    const message = 'The policy could not be evaluated'
    const decision = policy.failOpen ? 'warn' : 'block'
    return [{ code: 'evaluation_error', source: 'system', tool, message, severity: null, decision }]
  }
  const { violations, warnings } = policy.evaluation
  if (violations.length + warnings.length === 0 && escalation === undefined) return NONE
  const enforces = policy.mode === 'enforce'
  return [
    ...violations.map((violation) => weigh(violation, { enforces, escalation })),
    ...warnings.map(fromWarning),
    ...fromEscalation({ escalation, tool, enforces }),
  ]
}

/** A transaction is named explicitly, so its tool list binds in every policy mode. */
function weigh(
  violation: PolicyViolation,
  { enforces, escalation }: { enforces: boolean; escalation: EscalationStanding | undefined },
): Weighed {
  const { type, tool, reason: message, severity, rule, blocking, action } = violation
  if (type === 'unmapped' && rule === 'transaction') {
    return {
      code: 'transaction',
      source: 'transaction',
      tool,
      message,
      severity,
      decision: 'block',
    }
  }
  const isApproved = escalation === 'approved'
  const open = action === 'escalate' && !isApproved ? 'escalate' : 'warn'
  const decision = blocking ? 'block' : open
  return {
    code: type,
    source: 'policy',
    tool,
    message,
    severity,
    decision: enforces ? decision : 'warn',
  }
}

function fromWarning({ type, tool, reason: message }: PolicyWarning): Weighed {
  return { code: type, source: 'policy', tool, message, severity: null, decision: 'warn' }
}

/** An escalation that is not approved is a finding of its own. */
function fromEscalation({
  escalation,
  tool,
  enforces,
}: {
  escalation: EscalationStanding | undefined
  tool: string
  enforces: boolean
}): Weighed[] {
  if (escalation === undefined || escalation === 'approved') return []
  const isPending = escalation === 'pending'
  const message = isPending
    ? 'The escalation is pending'
    : 'The escalation is not approved; omit escalation_id to request a new approval'
  const decision = isPending ? 'escalate' : 'block'
  return [
    {
      code: 'escalation',
      source: 'policy',
      tool,
      message,
      severity: null,
      decision: enforces ? decision : 'warn',
    },
  ]
}

function escalates({ policy }: DecisionInput): boolean {
  if (policy?.outcome !== 'evaluated' || policy.mode !== 'enforce') return false
  return policy.evaluation.violations.some(({ action }) => action === 'escalate')
}

const APPROVAL_MS = 15 * 60_000

/** An approval is valid for one call within 15 minutes; after that it counts as refused. */
export function escalationStanding(
  escalation: {
    status: 'pending' | 'approved' | 'rejected' | 'expired'
    expiresAtMs: number
    resolvedAtMs?: number | undefined
    used: boolean
  },
  nowMs: number,
): EscalationStanding {
  const { status, expiresAtMs, resolvedAtMs, used } = escalation
  if (status === 'pending') return nowMs < expiresAtMs ? 'pending' : 'refused'
  if (status !== 'approved' || used || resolvedAtMs === undefined) return 'refused'
  return nowMs < resolvedAtMs + APPROVAL_MS ? 'approved' : 'refused'
}
