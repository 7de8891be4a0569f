import {
  BUILT_IN_DEFAULTS,
  type CallDecision,
  type DecisionInput,
  decideCall,
  type EnforcementMode,
  type EscalationStanding,
  type Evaluation,
  type PolicyVerdict,
} from '@touchstone/protocol/policy'
import type { PolicyFindings } from './escalation-event.ts'

/** What the policy has to say of a call. */
export type LiveOutcome =
  /** No policy at any level, and no transaction. */
  | { outcome: 'none' }
  | { outcome: 'failed'; failOpen: boolean }
  | {
      outcome: 'evaluated'
      evaluation: Evaluation
      mode: EnforcementMode
      policyId: string | null
      policyVersion: number | null
      evaluationId: string
      /** Settles once the evaluation is stored. Whoever stores it hears when that fails. */
      recorded(): Promise<void>
    }

/** Everything a decision rests on. */
export type Grounds = {
  tool: string
  containment: DecisionInput['containment']
  hold: boolean
  agentMode: DecisionInput['agentMode']
  policy: LiveOutcome
  /** Of the escalation that the call names. */
  standing: EscalationStanding | undefined
}

export function decide(grounds: Grounds): CallDecision {
  const { policy } = grounds
  return decideCall({
    tool: grounds.tool,
    containment: grounds.containment,
    hold: grounds.hold,
    agentMode: grounds.agentMode,
    policy: policy.outcome === 'none' ? undefined : policy,
    escalation: grounds.standing,
  })
}

/** What of the policy is told beside a decision. */
export type PolicyFacts = {
  verdict: PolicyVerdict | null
  /** Null where the evaluation failed, so that nobody knows. */
  mode: EnforcementMode | null
  policyId: string | null
  policyVersion: number | null
}

export function policyFacts(policy: LiveOutcome): PolicyFacts {
  if (policy.outcome === 'evaluated') {
    const { evaluation, mode, policyId, policyVersion } = policy
    return { verdict: evaluation.verdict, mode, policyId, policyVersion }
  }
  const mode = policy.outcome === 'none' ? BUILT_IN_DEFAULTS.enforcement_mode : null
  return { verdict: null, mode, policyId: null, policyVersion: null }
}

/** For the event of an escalation. */
export function policyFindings(policy: LiveOutcome): PolicyFindings | null {
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
