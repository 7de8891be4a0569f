import type { MergedPolicy, PolicyRules, TransactionStatus } from '@touchstone/protocol/policy'

/** The purposes of a transaction (spec: governance §3.1). */
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

/** A task with a time limit: calls that name it may use only the listed tools. */
export type Transaction = {
  transactionId: string
  orgId: string
  agentId: string
  description: string
  actionType: ActionType
  tools: readonly string[]
  /** The teams whose policies apply to it. */
  teamIds: readonly string[]
  createdAt: Date
  expiresAt: Date
  /** Null unless it was completed. */
  completedAt: Date | null
}

/** A transaction with its own policy, if any: everything that a call needs. */
export type TransactionWithPolicy = Transaction & { policy: PolicyRules | undefined }

/** The merged policy is from its creation; each evaluation merges again. */
export type StoredTransaction = TransactionWithPolicy & { mergedPolicy: MergedPolicy }

/** Expires exactly at `expiresAt`. A completed transaction does not expire. */
export function statusOf(
  { completedAt, expiresAt }: Pick<Transaction, 'completedAt' | 'expiresAt'>,
  now: Date,
): TransactionStatus {
  if (completedAt !== null) return 'completed'
  return now >= expiresAt ? 'expired' : 'active'
}

/** The lifetime of a transaction, at least one millisecond. */
export function durationMs(hours: number): number {
  return Math.max(1, Math.round(hours * HOUR_MS))
}

const HOUR_MS = 60 * 60 * 1000
