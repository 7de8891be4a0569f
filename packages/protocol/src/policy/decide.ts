import type { Evaluation, PolicyViolation, PolicyWarning } from './evaluation.ts'
import type { EnforcementMode, Severity } from './policy.ts'

/** Mildest first; the decision is the worst of all findings. */
export const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const
export type Decision = (typeof DECISIONS)[number]

export type DecisionReason = {
  code:
    | 'agent_paused'
    | 'agent_killed'
    | 'integrity_hold'
    | 'integrity_notice'
    | 'transaction'
    | 'evaluation_error'
    | 'approved'
    | 'approval_mismatch'
    | 'unreadable_arguments'
    | PolicyViolation['type']
    | PolicyWarning['type']
  source: 'containment' | 'integrity' | 'transaction' | 'policy' | 'system'
  tool: string
  message: string
  severity: Severity | null
}

/**
 * The state of the escalation that a call names; `mismatched` if the escalation is for another agent,
 * tool, session or other arguments.
 */
export type EscalationStanding = 'pending' | 'approved' | 'refused' | 'mismatched'

export type DecisionInput = {
  tool: string
  containment: 'active' | 'paused' | 'killed'
  /** The newest checkpoint is a violation; the effect depends on the agent's enforcement mode. */
  hold: boolean
  agentMode: 'observe' | 'nudge' | 'enforce'
  /** The arguments are too long or no JSON object, so no rule could read them. */
  isUnreadable?: boolean | undefined
  /** Undefined if no policy and no transaction applies. */
  policy?:
    | { outcome: 'evaluated'; evaluation: Evaluation; mode: EnforcementMode }
    | { outcome: 'failed'; failOpen: boolean }
    | undefined
  escalation?: EscalationStanding | undefined
  /** The person who approved the call, for the reason that reports it. */
  approvedBy?: string | undefined
  /** The rules that the approval was given for; undefined: all. */
  approvedRules?: readonly string[] | undefined
}

export type CallDecision = {
  decision: Decision
  /** The worst first, so the first one decided; equally bad ones in the order of the checks. */
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
    contained.length > 0
      ? contained
      : integrityReasons(input).concat(
          policyReasons(input),
          mismatchReasons(input),
          unreadableReasons(input),
        )
  // Fast path for the common case.
  if (weighed.length === 0) return { decision: 'allow', reasons: [], approvalUsed: false }
  const worstFirst = weighed.toSorted((a, b) => rankOf(b) - rankOf(a))
  const decision = worstFirst[0]?.decision ?? 'block'
  return {
    decision,
    reasons: worstFirst.map(({ decision: _, ...reason }) => reason),
    approvalUsed: isLetThrough(decision) && input.escalation === 'approved' && escalates(input),
  }
}

function rankOf({ decision }: Weighed): number {
  return DECISIONS.indexOf(decision)
}

function isLetThrough(decision: Decision): boolean {
  return decision === 'allow' || decision === 'warn'
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

function policyReasons({
  policy,
  tool,
  escalation,
  approvedBy,
  approvedRules,
}: DecisionInput): readonly Weighed[] {
  if (policy === undefined) return NONE
  if (policy.outcome === 'failed') {
    const message = 'The policy could not be evaluated'
    const decision = policy.failOpen ? 'warn' : 'block'
    return [{ code: 'evaluation_error', source: 'system', tool, message, severity: null, decision }]
  }
  const { violations, warnings } = policy.evaluation
  if (violations.length + warnings.length === 0 && escalation === undefined) return NONE
  const enforces = policy.mode === 'enforce'
  const isApproved = enforces && escalation === 'approved'
  // An approval lifts the findings it was given for and nothing else.
  const isLifted = (one: PolicyViolation) =>
    isApproved && needsApproval(one) && (approvedRules?.includes(one.rule) ?? true)
  const remaining = violations.filter((one) => !isLifted(one))
  return [
    ...remaining.map((violation) => weigh(violation, enforces)),
    ...warnings.map(fromWarning),
    ...fromEscalation({ escalation, tool, enforces }),
    ...(remaining.length < violations.length ? [approvedReason(tool, approvedBy)] : []),
  ]
}

function needsApproval({ action, blocking }: PolicyViolation): boolean {
  return action === 'escalate' && !blocking
}

function approvedReason(tool: string, approvedBy = 'a person'): Weighed {
  return {
    code: 'approved',
    source: 'policy',
    tool,
    message: `Approved by ${approvedBy}`,
    severity: null,
    decision: 'allow',
  }
}

/** A transaction is named explicitly, so its tool list binds in every policy mode. */
function weigh(violation: PolicyViolation, enforces: boolean): Weighed {
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
  const open = action === 'escalate' ? 'escalate' : 'warn'
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

/** The message of the reason for a call that names a pending escalation. */
export const ESCALATION_PENDING = 'The escalation is pending'

const ESCALATION_FINDINGS = {
  pending: { decision: 'escalate', message: ESCALATION_PENDING },
  refused: {
    decision: 'block',
    message:
      'The escalation was rejected, or its approval was used, has expired or was given with the key that asks; omit escalation_id to request a new one',
  },
} as const

/** An escalation is named explicitly, so one of another call blocks in every policy mode. */
function mismatchReasons({ escalation, tool }: DecisionInput): readonly Weighed[] {
  if (escalation !== 'mismatched') return NONE
  return [
    {
      code: 'approval_mismatch',
      source: 'policy',
      tool,
      message:
        'The escalation is for another call; agent, tool, session and arguments must be the same',
      severity: null,
      decision: 'block',
    },
  ]
}

/** Nobody knows what such a call would do, so it is made only where nothing is enforced. */
function unreadableReasons({
  isUnreadable,
  agentMode,
  policy,
  tool,
}: DecisionInput): readonly Weighed[] {
  if (isUnreadable !== true) return NONE
  // Rules over arguments do not fire, and whoever approves such a call would see none.
  const enforces =
    agentMode === 'enforce' || (policy?.outcome === 'evaluated' && policy.mode === 'enforce')
  return [
    {
      code: 'unreadable_arguments',
      source: 'system',
      tool,
      message: 'The arguments cannot be read',
      severity: null,
      decision: enforces ? 'block' : 'warn',
    },
  ]
}

/** An escalation of this call that does not approve it is a finding of its own. */
function fromEscalation({
  escalation,
  tool,
  enforces,
}: {
  escalation: EscalationStanding | undefined
  tool: string
  enforces: boolean
}): Weighed[] {
  if (escalation !== 'pending' && escalation !== 'refused') return []
  const { decision, message } = ESCALATION_FINDINGS[escalation]
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
