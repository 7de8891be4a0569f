import type { LogEntryType } from '@touchstone/protocol/log'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'

/** Which record an entry of the log is about. */
export type LoggedRecord = {
  orgId: string | null
  agentId: string | null
  type: LogEntryType
  recordId: string
  index: number
  /** Canonical JSON. */
  record: string
}

/** Checkpoints of an agent without a gap, by their positions in its chain. */
export type CheckpointRun = { agentId: string; first: number; last: number }

type EntryRow = {
  org_id: string | null
  agent_id: string | null
  type: string
  record_id: string
  log_index: number
  record: string
}

export function createEntryStore(db: Db) {
  return {
    /** Moves records from the queue; those erased in the meantime are left out. */
    async take(pendingIds: readonly number[], firstIndex: number): Promise<void> {
      await sql`
        with taken as (
          delete from log_pending p
          using unnest(${pendingIds}::bigint[]) with ordinality as given (pending_id, place)
          where p.pending_id = given.pending_id
          returning p.*, given.place)
        insert into log_entry (org_id, agent_id, type, record_id, log_index, record)
        select org_id, agent_id, type, record_id, ${firstIndex}::bigint + place - 1, record
        from taken order by place`.execute(db)
    },

    async find(recordId: string, types: readonly LogEntryType[]): Promise<LoggedRecord[]> {
      const found = await sql<EntryRow>`select * from log_entry
        where record_id = ${recordId} and type = any(${types}::text[])`.execute(db)
      return found.rows.map(toLogged)
    },

    /** In the order of the log. */
    async listAt(indexes: readonly number[]): Promise<LoggedRecord[]> {
      const found = await sql<EntryRow>`select * from log_entry
        where log_index = any(${indexes}::bigint[]) order by log_index`.execute(db)
      return found.rows.map(toLogged)
    },

    async listPolicies(orgId: string, limit: number): Promise<LoggedRecord[]> {
      const found = await sql<EntryRow>`select * from log_entry
        where org_id = ${orgId} and type = 'policy' order by log_index limit ${limit}`.execute(db)
      return found.rows.map(toLogged)
    },

    async indexesOf(
      type: LogEntryType,
      recordIds: readonly string[],
    ): Promise<Map<string, number>> {
      const found = await sql<EntryRow>`select record_id, log_index from log_entry
        where record_id = any(${recordIds}::text[]) and type = ${type}`.execute(db)
      return new Map(found.rows.map((row) => [row.record_id, row.log_index]))
    },

    /**
     * The positions in the chains of these agents whose checkpoints have an entry in a range of the log,
     * if they leave no gap; omits other agents. Entries of an agent are in the order of its chain, so
     * that only the first and the last record are read.
     */
    async checkpointRuns(
      agentIds: readonly string[],
      { from, to }: { from: number; to: number },
    ): Promise<CheckpointRun[]> {
      const found = await sql<{ agent_id: string; first: number; last: number }>`
        select * from (
          select wanted.agent_id, own.total,
            (opening.record::json ->> 'position')::bigint as first,
            (closing.record::json ->> 'position')::bigint as last
          from unnest(${agentIds}::text[]) as wanted (agent_id)
          cross join lateral (
            select count(*) as total, min(log_index) as first_index, max(log_index) as last_index
            from log_entry e
            where e.agent_id = wanted.agent_id and e.type = 'checkpoint'
              and e.log_index >= ${from} and e.log_index < ${to}) as own
          join log_entry opening on opening.log_index = own.first_index
          join log_entry closing on closing.log_index = own.last_index) as run
        where last - first + 1 = total`.execute(db)
      return found.rows.map(({ agent_id: agentId, first, last }) => ({ agentId, first, last }))
    },

    /** The places of the first and the last checkpoint of an agent among the first `size` entries. */
    async checkpointSpan(
      agentId: string,
      size: number,
    ): Promise<{ first: number; last: number } | undefined> {
      const found = await sql<{ first: number | null; last: number | null }>`
        select min(log_index) as first, max(log_index) as last from log_entry
        where agent_id = ${agentId} and type = 'checkpoint' and log_index < ${size}`.execute(db)
      const { first, last } = found.rows[0] ?? { first: null, last: null }
      return first === null || last === null ? undefined : { first, last }
    },

    /** Deletes what is known of entries of these types in a range of the log. */
    async deleteBetween(types: readonly LogEntryType[], from: number, to: number): Promise<number> {
      const gone = await sql`delete from log_entry
        where log_index >= ${from} and log_index < ${to}
          and type = any(${types}::text[])`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from log_entry where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from log_entry where org_id = ${orgId}`.execute(db)
    },
  }
}

function toLogged(row: EntryRow): LoggedRecord {
  return {
    orgId: row.org_id,
    agentId: row.agent_id,
    // The cast is safe: rows come from `log_pending`, which has these types only.
    type: row.type as LogEntryType,
    recordId: row.record_id,
    index: row.log_index,
    record: row.record,
  }
}
