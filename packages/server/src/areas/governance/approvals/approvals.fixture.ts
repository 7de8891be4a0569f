import type { ApprovalRule } from '@touchstone/protocol/policy'
import { approvalRuleOf } from './approval-rule.ts'
import { type Escalation, type NewEscalation, openEscalation } from './escalation.ts'

export const START = new Date('2026-03-01T12:00:00.000Z')

export function ruleOf(given: Partial<ApprovalRule> = {}): ApprovalRule {
  return { ...approvalRuleOf([]), ...given }
}

function newEscalationOf(escalationId: string, given: Partial<NewEscalation> = {}): NewEscalation {
  return {
    escalationId,
    orgId: 'org-1',
    agentId: 'agent-1',
    tool: 'refund',
    sessionId: null,
    argumentsHash: null,
    hasArguments: false,
    isTruncated: false,
    justification: null,
    transactionId: null,
    decisionId: 'dec-1',
    requestedBy: 'key-1',
    triggers: [{ condition: "tool == 'refund'", reason: 'Refunds are for people' }],
    reason: 'Refunds are for people',
    rule: ruleOf(),
    ...given,
  }
}

/** A new escalation, which is pending from START on. */
export function pendingOf(escalationId: string, given: Partial<NewEscalation> = {}): Escalation {
  return openEscalation(newEscalationOf(escalationId, given), START)
}
