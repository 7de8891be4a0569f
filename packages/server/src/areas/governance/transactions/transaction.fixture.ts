import { mergeTransaction, type PolicyRules } from '@touchstone/protocol/policy'
import { HOUR_MS, later } from '../../../kernel/clock.ts'
import type { StoredTransaction } from './transaction.ts'

export const START = new Date('2026-03-01T12:00:00.000Z')

/** The rules of a layer with the given parts. */
export function rulesOf(sparse: Partial<PolicyRules> = {}): PolicyRules {
  return {
    capability_mappings: {},
    forbidden: [],
    escalation_triggers: [],
    defaults: {},
    ...sparse,
  }
}

/** Active for an hour from `START`. */
export function transactionOf(
  transactionId: string,
  given: Partial<StoredTransaction> = {},
): StoredTransaction {
  const tools = ['mcp__payment__refund']
  return {
    transactionId,
    orgId: 'org-1',
    agentId: 'agent-1',
    description: 'Refund 1182',
    actionType: 'financial_operation',
    tools,
    teamIds: [],
    policy: undefined,
    mergedPolicy: mergeTransaction({ transactionId, teams: [], tools }).policy,
    createdAt: START,
    expiresAt: later(START, HOUR_MS),
    completedAt: null,
    ...given,
  }
}
