import {
  BUILT_IN_APPROVAL,
  BUILT_IN_DEFAULTS,
  type CallDecision,
  changedToolFinding,
  type DecisionReason,
  decideCall,
  type EnforcementMode,
  type Evaluation,
  evaluatePolicy,
  type PolicyVerdict,
  type SessionFinding,
  satisfiesApproval,
  strictestApproval,
  withSessionFindings,
} from '@touchstone/protocol/policy'
import type { AgentSnapshot, Prepared } from './agent-snapshot.ts'
import type { ApprovalFinding, CallApproval, PolicyFindings } from './call-approval.ts'

/** A call and everything it names, ready to be decided. */
export type ReadyCall = {
  tool: string
  /** Whether the newest checkpoint of the session, else of the agent, is a violation. */
  hold: boolean
  /** The escalation that the call names or uses. */
  approval: CallApproval | undefined
  rules: Prepared
  isUnreadable: boolean
}

/** The result of the policy for a call. */
export type PolicyOutcome =
  /** No policy at any level, and no transaction. */
  | { outcome: 'none' }
  | { outcome: 'failed'; failOpen: boolean; cause: unknown }
  | {
      outcome: 'evaluated'
      evaluation: Evaluation
      mode: EnforcementMode
      policyId: string | null
      policyVersion: number | null
    }

export type Decision = { call: CallDecision; policy: PolicyOutcome }

/** Decides whether the call may be made. Pure: equal arguments give equal decisions. */
export function decide(snapshot: AgentSnapshot, call: ReadyCall, now: Date): Decision {
  return decideByPolicy(snapshot, call, evaluate(snapshot, call, now))
}

/** Decides the call again by the same policy, after its approval or the findings changed. */
export function decideByPolicy(
  snapshot: AgentSnapshot,
  call: ReadyCall,
  policy: PolicyOutcome,
): Decision {
  return { call: conclude(snapshot, call, policy), policy }
}

/** The outcome of the policy with the findings of the rules over a session. */
export function withFindings(
  policy: PolicyOutcome,
  findings: readonly SessionFinding[],
): PolicyOutcome {
  if (policy.outcome !== 'evaluated') return policy
  return { ...policy, evaluation: withSessionFindings(policy.evaluation, findings) }
}

/** Decides the call again after another call used its approval first. */
export function decideUnapproved(
  snapshot: AgentSnapshot,
  call: ReadyCall,
  policy: PolicyOutcome,
): Decision {
  const approval = call.approval && { ...call.approval, standing: 'refused' as const }
  return { call: conclude(snapshot, { ...call, approval }, policy), policy }
}

/** The decision of a call that cannot be stored. */
export function decideUnrecorded(
  { decision, reasons }: CallDecision,
  rules: Prepared,
  tool: string,
): CallDecision {
  const notStored: DecisionReason = {
    code: 'evaluation_error',
    source: 'system',
    tool,
    message: 'The decision could not be stored',
    severity: null,
  }
  const mayBeMade = decision === 'allow' || decision === 'warn'
  return {
    decision: mayBeMade && isFailOpen(rules) ? 'warn' : 'block',
    reasons: decision === 'block' ? [...reasons, notStored] : [notStored, ...reasons],
    approvalUsed: false,
  }
}

function isFailOpen(rules: Prepared): boolean {
  if (rules.outcome === 'ready') return rules.callPolicy.compiled.defaults.fail_open
  return rules.outcome === 'failed' && rules.failOpen
}

function conclude(
  { contained, mode }: AgentSnapshot,
  { tool, hold, approval, isUnreadable }: ReadyCall,
  policy: PolicyOutcome,
): CallDecision {
  return decideCall({
    tool,
    containment: contained?.status ?? 'active',
    hold,
    agentMode: mode,
    isUnreadable,
    policy: policy.outcome === 'none' ? undefined : policy,
    escalation: approval?.standing,
    approvedBy: approval?.approvedBy ?? undefined,
    approvedRules: approval && liftedRules(approval, policy),
  })
}

/** The rules that the approval lifts: none if the policy has become stricter since it was given. */
function liftedRules(
  { rules, rule }: CallApproval,
  policy: PolicyOutcome,
): readonly string[] | undefined {
  const covered = approvalFindings(policy).filter(
    ({ condition }) => rules === undefined || rules.includes(condition),
  )
  const needed = strictestApproval(covered.map(({ approval }) => approval ?? BUILT_IN_APPROVAL))
  return satisfiesApproval(rule, needed) ? rules : []
}

function evaluate(snapshot: AgentSnapshot, { tool, rules }: ReadyCall, now: Date): PolicyOutcome {
  const isChanged = snapshot.changedTools.has(tool)
  if (rules.outcome === 'none' && isChanged) return changedWithoutPolicy(tool)
  if (rules.outcome !== 'ready') return rules
  const { compiled, policyId, policyVersion } = rules.callPolicy
  try {
    const evaluated = evaluatePolicy(compiled, { ...rules.input, nowMs: now.getTime() })
    const finding = isChanged ? changedToolFinding(compiled.defaults, tool) : undefined
    const evaluation = finding ? withSessionFindings(evaluated, [finding]) : evaluated
    const mode = compiled.defaults.enforcement_mode
    return { outcome: 'evaluated', evaluation, mode, policyId, policyVersion }
  } catch (cause) {
    return { outcome: 'failed', failOpen: compiled.defaults.fail_open, cause }
  }
}

/** The built-in defaults say what happens if the agent has no policy. */
function changedWithoutPolicy(tool: string): PolicyOutcome {
  const finding = changedToolFinding(BUILT_IN_DEFAULTS, tool)
  return {
    outcome: 'evaluated',
    evaluation: withSessionFindings(NO_FINDINGS, finding === undefined ? [] : [finding]),
    mode: BUILT_IN_DEFAULTS.enforcement_mode,
    policyId: null,
    policyVersion: null,
  }
}

const NO_FINDINGS: Evaluation = {
  verdict: 'pass',
  violations: [],
  warnings: [],
  card_gaps: [],
  coverage: {
    total_card_actions: 0,
    mapped_card_actions: [],
    unmapped_card_actions: [],
    coverage_pct: 0,
  },
}

/** The part of the policy that an answer shows beside the decision. */
export type PolicyFacts = {
  verdict: PolicyVerdict | null
  /** The policy mode; null if the evaluation failed. */
  mode: EnforcementMode | null
  policyId: string | null
  policyVersion: number | null
}

export function policyFacts(policy: PolicyOutcome): PolicyFacts {
  if (policy.outcome === 'evaluated') {
    const { evaluation, mode, policyId, policyVersion } = policy
    return { verdict: evaluation.verdict, mode, policyId, policyVersion }
  }
  const mode = policy.outcome === 'none' ? BUILT_IN_DEFAULTS.enforcement_mode : null
  return { verdict: null, mode, policyId: null, policyVersion: null }
}

/** The findings as the event of an escalation shows them. */
export function policyFindings(policy: PolicyOutcome): PolicyFindings | null {
  if (policy.outcome !== 'evaluated') return null
  const { verdict, violations, warnings } = policy.evaluation
  return {
    verdict,
    violations: violations.length,
    warnings: warnings.length,
    policy_id: policy.policyId,
    policy_version: policy.policyVersion,
    tools: [...new Set(violations.map(({ tool }) => tool))],
  }
}

/** The rules that escalated, which an approval lifts. */
export function approvalFindings(policy: PolicyOutcome): ApprovalFinding[] {
  if (policy.outcome !== 'evaluated') return []
  return policy.evaluation.violations
    .filter(({ action, blocking }) => action === 'escalate' && !blocking)
    .map(({ rule, reason, approval }) => ({ condition: rule, reason, approval }))
}

/** The reasons of the rules that escalated, without duplicates. */
export function escalationReason(policy: PolicyOutcome): string {
  if (policy.outcome !== 'evaluated') return ''
  const escalated = policy.evaluation.violations.filter(({ action }) => action === 'escalate')
  return [...new Set(escalated.map(({ reason }) => reason))].join('; ')
}
