import type { Decision } from '@touchstone/protocol/policy'
import type { DecisionId } from '../../../kernel/ids.ts'
import type { DecisionSource, OutcomeStatus } from './decision-record.ts'

export type DecisionFilter = {
  orgId: string
  agentId?: string | undefined
  sessionId?: string | undefined
  /** Exact, or a prefix that ends in `*`. */
  tool?: string | undefined
  decisions?: readonly Decision[] | undefined
  source?: DecisionSource | undefined
  policyId?: string | undefined
  escalationId?: string | undefined
  callId?: string | undefined
  outcome?: OutcomeStatus | 'none' | 'bypassed' | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/** Rows before this id, newest first. */
export type DecisionPage = { before: DecisionId | undefined; limit: number }
