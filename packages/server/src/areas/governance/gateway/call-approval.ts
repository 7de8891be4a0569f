import type { ApprovalRule, ApprovalScope, EscalationStanding } from '@touchstone/protocol/policy'

/** The escalation of a call, as far as its decision depends on it. */
export type CallApproval = {
  escalationId: string
  standing: EscalationStanding
  approvedBy: string | null
  /** The reach of the approval; null unless it is approved. */
  scope: ApprovalScope | null
  /** The rules that the approval lifts; undefined: all. */
  rules: readonly string[] | undefined
  /** The rule that it was given under. */
  rule: Pick<ApprovalRule, 'required' | 'roles'>
}

/** The policy findings in an event: counts, and the names of the violating tools. */
export type PolicyFindings = {
  verdict: string
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  tools: readonly string[]
}

/** A trigger that requires an approval. */
export type ApprovalFinding = {
  condition: string
  reason: string
  /** Undefined if the policy says nothing about it. */
  approval?: ApprovalRule | undefined
}
