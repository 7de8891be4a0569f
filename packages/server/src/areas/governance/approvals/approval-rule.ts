import {
  type ApprovalRule,
  BUILT_IN_APPROVAL,
  strictestApproval,
} from '@touchstone/protocol/policy'

/** A finding of the policy that requires an approval. */
export type ApprovalFinding = {
  condition: string
  reason: string
  /** Undefined if the policy says nothing about it. */
  approval?: ApprovalRule | undefined
}

/** The rule of an escalation that is opened for these findings. */
export function approvalRuleOf(findings: readonly ApprovalFinding[]): ApprovalRule {
  return strictestApproval(findings.map(({ approval }) => approval ?? BUILT_IN_APPROVAL))
}
