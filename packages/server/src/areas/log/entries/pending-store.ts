import { canonicalJson } from '@touchstone/protocol/base'
import type { LogEntryType } from '@touchstone/protocol/log'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'

/** A record to be queued, with the members that are hashed. */
export type NewRecord = Pick<PendingRecord, 'orgId' | 'agentId' | 'type' | 'recordId' | 'at'> & {
  record: object
}

/** A record that waits for its place in the log. */
export type PendingRecord = {
  pendingId: number
  orgId: string | null
  agentId: string | null
  type: LogEntryType
  recordId: string
  /** Canonical JSON. */
  record: string
  at: Date
  /** True if the record has an entry already. */
  isLogged: boolean
}

export type WaitingRecord = Omit<PendingRecord, 'isLogged'> & { queuedAt: Date }

type PendingRow = {
  pending_id: number
  org_id: string | null
  agent_id: string | null
  type: string
  record_id: string
  record: string
  at: Date
  is_logged: boolean
}

const COLUMNS = {
  org_id: 'text',
  agent_id: 'text',
  type: 'text',
  record_id: 'text',
  record: 'text',
  at: 'timestamptz',
}

/** The key of the advisory lock. */
const PREPARING = 'log_pending'

/** Queues records, as a statement or a part of one. */
export function insertPending(
  records: readonly NewRecord[],
  now: Date,
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`insert into log_pending (${namesOf(COLUMNS)}, queued_at)
    select ${namesOf(COLUMNS)}, ${now}::timestamptz
    from ${rowsOf(COLUMNS, records.map(toRow))} as r where ${condition}`
}

function toRow(one: NewRecord): Record<keyof typeof COLUMNS, unknown> {
  return {
    org_id: one.orgId,
    agent_id: one.agentId,
    type: one.type,
    record_id: one.recordId,
    record: canonicalJson(one.record),
    at: one.at,
  }
}

/** The table this feature owns. Nobody else reads or writes it. */
export function createPendingStore(db: Db) {
  return {
    /** Erasures wait until the transaction ends. INVARIANT: no salt is created after its erasure. */
    async excludeErasure(): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtextextended(${PREPARING}, 0))`.execute(db)
    },

    /** Waits until no entries are being prepared; erasures do not wait for each other. */
    async awaitPreparation(): Promise<void> {
      await sql`select pg_advisory_xact_lock_shared(hashtextextended(${PREPARING}, 0))`.execute(db)
    },

    /** The oldest records in the order of their ids. */
    async list(limit: number): Promise<PendingRecord[]> {
      const found = await sql<PendingRow>`
        select p.pending_id, p.org_id, p.agent_id, p.type, p.record_id, p.record, p.at,
          exists (select from log_entry e
            where e.record_id = p.record_id and e.type = p.type) as is_logged
        from log_pending p order by p.pending_id limit ${limit}`.execute(db)
      return found.rows.map(toPending)
    },

    async delete(pendingIds: readonly number[]): Promise<void> {
      await sql`delete from log_pending
        where pending_id = any(${pendingIds}::bigint[])`.execute(db)
    },

    async count(): Promise<number> {
      const found = await sql<{ total: number }>`
        select count(*) as total from log_pending`.execute(db)
      return found.rows[0]?.total ?? 0
    },

    /** A record that waits; undefined if it does not. */
    async find(
      recordId: string,
      types: readonly LogEntryType[],
    ): Promise<WaitingRecord | undefined> {
      const found = await sql<PendingRow & { queued_at: Date }>`
        select * from log_pending
        where record_id = ${recordId} and type = any(${types}::text[])
        order by pending_id limit 1`.execute(db)
      return found.rows.map((row) => ({ ...toPending(row), queuedAt: row.queued_at }))[0]
    },

    /** By the index, because a scan of the table would read what is deleted but not vacuumed. */
    async hasAny(): Promise<boolean> {
      const found = await sql`select from log_pending order by pending_id limit 1`.execute(db)
      return found.rows.length > 0
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from log_pending where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from log_pending where org_id = ${orgId}`.execute(db)
    },
  }
}

function toPending(row: PendingRow): PendingRecord {
  return {
    pendingId: row.pending_id,
    orgId: row.org_id,
    agentId: row.agent_id,
    // The cast is safe: `insertPending` is the only writer.
    type: row.type as LogEntryType,
    recordId: row.record_id,
    record: row.record,
    at: row.at,
    isLogged: row.is_logged,
  }
}
