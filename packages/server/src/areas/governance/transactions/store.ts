import type { MergedPolicy, PolicyRules, TransactionStatus } from '@touchstone/protocol/policy'
import { type Kysely, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type {
  ActionType,
  StoredTransaction,
  Transaction,
  TransactionWithPolicy,
} from './transaction.ts'

type TransactionRow = {
  transaction_id: string
  org_id: string
  agent_id: string
  description: string
  action_type: string
  tools: string[]
  team_ids: string[]
  policy: unknown
  merged_policy: unknown
  created_at: Date
  expires_at: Date
  completed_at: Date | null
}

type TransactionTables = { agent_transaction: TransactionRow }

export type TransactionFilter = {
  orgId: string
  agentId: string | undefined
  status: TransactionStatus | undefined
  /** The time at which the status is taken. */
  now: Date
}

/** All columns except the policies, which can be large and are read only when needed. */
const SUMMARY_COLUMNS = [
  'transaction_id',
  'org_id',
  'agent_id',
  'description',
  'action_type',
  'tools',
  'team_ids',
  'created_at',
  'expires_at',
  'completed_at',
] as const

export function createTransactionStore(db: Db) {
  const q = db.withTables<TransactionTables>()
  const byId = (transactionId: string) =>
    q.selectFrom('agent_transaction').where('transaction_id', '=', transactionId)
  return {
    async insert(transaction: StoredTransaction): Promise<void> {
      await q.insertInto('agent_transaction').values(toRow(transaction)).execute()
    },

    async find(transactionId: string): Promise<StoredTransaction | undefined> {
      const row = await byId(transactionId).selectAll().executeTakeFirst()
      return row && toStored(row)
    },

    async findWithPolicy(transactionId: string): Promise<TransactionWithPolicy | undefined> {
      const row = await byId(transactionId)
        .select(SUMMARY_COLUMNS)
        .select('policy')
        .executeTakeFirst()
      return row && toTransactionWithPolicy(row)
    },

    /** Locks the row until the database transaction ends. */
    async lock(transactionId: string): Promise<StoredTransaction | undefined> {
      const row = await byId(transactionId).selectAll().forUpdate().executeTakeFirst()
      return row && toStored(row)
    },

    async setCompleted(transactionId: string, completedAt: Date): Promise<void> {
      await q
        .updateTable('agent_transaction')
        .set({ completed_at: completedAt })
        .where('transaction_id', '=', transactionId)
        .execute()
    },

    /** Newest first. */
    async list(filter: TransactionFilter, request: PageRequest): Promise<Page<Transaction>> {
      const rows = selectMatching(q, filter)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .select(SUMMARY_COLUMNS)
        .orderBy('created_at', 'desc')
        .orderBy('transaction_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toTransaction), total: counted.total }
    },

    /** Returns false if it does not exist. */
    async delete(transactionId: string): Promise<boolean> {
      const deleted = await q
        .deleteFrom('agent_transaction')
        .where('transaction_id', '=', transactionId)
        .executeTakeFirst()
      return deleted.numDeletedRows > 0n
    },

    /** Deletes at most `rowsMax` that were completed or expired by the given time. */
    async deleteEnded(by: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from agent_transaction where transaction_id in (
        select transaction_id from agent_transaction
        where coalesce(completed_at, expires_at) <= ${by}
        limit ${rowsMax} for update skip locked)`.execute(q)
      return Number(deleted.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('agent_transaction').where('agent_id', '=', agentId).execute()
    },
  }
}

function selectMatching(
  q: Kysely<TransactionTables>,
  { orgId, agentId, status, now }: TransactionFilter,
) {
  let rows = q.selectFrom('agent_transaction').where('org_id', '=', orgId)
  if (agentId !== undefined) rows = rows.where('agent_id', '=', agentId)
  if (status === undefined) return rows
  if (status === 'completed') return rows.where('completed_at', 'is not', null)
  return rows
    .where('completed_at', 'is', null)
    .where('expires_at', status === 'active' ? '>' : '<=', now)
}

function toRow(transaction: StoredTransaction): TransactionRow {
  const { policy, mergedPolicy } = transaction
  return {
    transaction_id: transaction.transactionId,
    org_id: transaction.orgId,
    agent_id: transaction.agentId,
    description: transaction.description,
    action_type: transaction.actionType,
    tools: [...transaction.tools],
    team_ids: [...transaction.teamIds],
    policy: policy === undefined ? null : JSON.stringify(policy),
    merged_policy: JSON.stringify(mergedPolicy),
    created_at: transaction.createdAt,
    expires_at: transaction.expiresAt,
    completed_at: transaction.completedAt,
  }
}

type SummaryRow = Pick<TransactionRow, (typeof SUMMARY_COLUMNS)[number]>

function toTransaction(row: SummaryRow): Transaction {
  return {
    transactionId: row.transaction_id,
    orgId: row.org_id,
    agentId: row.agent_id,
    description: row.description,
    actionType: row.action_type as ActionType,
    tools: row.tools,
    teamIds: row.team_ids,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    completedAt: row.completed_at,
  }
}

function toTransactionWithPolicy(
  row: SummaryRow & Pick<TransactionRow, 'policy'>,
): TransactionWithPolicy {
  return { ...toTransaction(row), policy: (row.policy as PolicyRules | null) ?? undefined }
}

function toStored(row: TransactionRow): StoredTransaction {
  return { ...toTransactionWithPolicy(row), mergedPolicy: row.merged_policy as MergedPolicy }
}
