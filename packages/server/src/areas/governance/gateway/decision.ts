import {
  BUILT_IN_DEFAULTS,
  type CallDecision,
  decideCall,
  type EnforcementMode,
  type EscalationStanding,
  type Evaluation,
  evaluatePolicy,
  type PolicyVerdict,
} from '@touchstone/protocol/policy'
import type { AgentSnapshot, Prepared } from './agent-snapshot.ts'
import { type Escalation, standingAt } from './escalation.ts'
import type { PolicyFindings } from './escalation-event.ts'

/** A call and everything it names, ready to be decided. */
export type ReadyCall = {
  tool: string
  /** Whether the newest checkpoint of the session, else of the agent, is a violation. */
  hold: boolean
  escalation: Escalation | undefined
  rules: Prepared
}

/** What the policy says of a call. */
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

/** Whether the call may be made now. Equal arguments give equal decisions. */
export function decide(snapshot: AgentSnapshot, call: ReadyCall, now: Date): Decision {
  const policy = evaluate(call.rules, now)
  const standing = call.escalation && standingAt(call.escalation, now)
  return { call: conclude(snapshot, call, { policy, standing }), policy }
}

/** The same call where the approval it rests on was used by another meanwhile. */
export function decideUnapproved(
  snapshot: AgentSnapshot,
  call: ReadyCall,
  policy: PolicyOutcome,
): Decision {
  return { call: conclude(snapshot, call, { policy, standing: 'refused' }), policy }
}

function conclude(
  { contained, mode }: AgentSnapshot,
  { tool, hold }: ReadyCall,
  found: { policy: PolicyOutcome; standing: EscalationStanding | undefined },
): CallDecision {
  const { policy, standing } = found
  return decideCall({
    tool,
    containment: contained?.status ?? 'active',
    hold,
    agentMode: mode,
    policy: policy.outcome === 'none' ? undefined : policy,
    escalation: standing,
  })
}

function evaluate(rules: Prepared, now: Date): PolicyOutcome {
  if (rules.outcome !== 'ready') return rules
  const { compiled, policyId, policyVersion } = rules.holding
  try {
    const evaluation = evaluatePolicy(compiled, { ...rules.input, nowMs: now.getTime() })
    const mode = compiled.defaults.enforcement_mode
    return { outcome: 'evaluated', evaluation, mode, policyId, policyVersion }
  } catch (cause) {
    return { outcome: 'failed', failOpen: compiled.defaults.fail_open, cause }
  }
}

/** The part of the policy that an answer shows beside the decision. */
export type PolicyFacts = {
  verdict: PolicyVerdict | null
  /** Null where the evaluation failed, so that nobody knows. */
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

/** For the event of an escalation. */
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

/** Why a person is asked: the words of the triggers, each once. */
export function escalationReason({ reasons }: CallDecision): string {
  const asking = reasons.filter(({ code }) => code === 'escalation')
  return [...new Set(asking.map(({ message }) => message))].join('; ')
}
