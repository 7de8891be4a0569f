import type { MergedPolicy, PolicyRules, TransactionStatus } from '@touchstone/protocol/policy'

/** What a transaction may be for (spec: governance §3.1). */
export const ACTION_TYPES = [
  'financial_operation',
  'financial_transaction',
  'data_access',
  'data_modification',
  'content_generation',
  'communication',
  'code_execution',
  'tool_invocation',
  'task_delegation',
  'autonomous_operation',
  'multi_agent_coordination',
] as const
export type ActionType = (typeof ACTION_TYPES)[number]

export const STATUSES = [
  'active',
  'completed',
  'expired',
] as const satisfies readonly TransactionStatus[]

/** Work of limited time: calls that name it may use these tools and no others. */
export type Transaction = {
  transactionId: string
  orgId: string
  agentId: string
  description: string
  actionType: ActionType
  tools: readonly string[]
  /** The teams whose policies narrow it too. */
  teamIds: readonly string[]
  createdAt: Date
  expiresAt: Date
  /** Null unless somebody said that it is done. */
  completedAt: Date | null
}

/** A transaction with what it lays down itself, if anything: all that a call must know. */
export type RuledTransaction = Transaction & { policy: PolicyRules | undefined }

/** The merged policy is that of its creation; evaluations merge anew. */
export type StoredTransaction = RuledTransaction & { mergedPolicy: MergedPolicy }

/** It is over at the very moment it expires. What was completed before stays so. */
export function statusOf(
  { completedAt, expiresAt }: Pick<Transaction, 'completedAt' | 'expiresAt'>,
  now: Date,
): TransactionStatus {
  if (completedAt !== null) return 'completed'
  return now >= expiresAt ? 'expired' : 'active'
}

/** The life of a transaction; however short it was asked to be, there is some. */
export function durationMs(hours: number): number {
  return Math.max(1, Math.round(hours * HOUR_MS))
}

const HOUR_MS = 60 * 60 * 1000
