import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** Deletes rows that are no longer needed. */
export function createPurgeStore(db: Db) {
  const q = db.withTables<{ score: { agent_id: string } }>()
  return {
    async purgePast(before: Date, limit: number): Promise<number> {
      const deleted = await sql`delete from score_past where ctid = any(array(
        select ctid from score_past where computed_at < ${before} limit ${limit}))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    /** A page of ids of agents with a score, in ascending order after the given id. */
    async listAfter(afterAgentId: string, limit: number): Promise<string[]> {
      const rows = await q
        .selectFrom('score')
        .select('agent_id')
        .where('agent_id', '>', afterAgentId)
        .orderBy('agent_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.agent_id)
    },

    /** Deletes, per agent, the entries older than the last entry before that time. */
    async purgeLog(agentIds: readonly string[], before: Date): Promise<number> {
      const deleted = await sql`delete from score_log old where agent_id = any(${agentIds})
        and at < (select max(at) from score_log
          where agent_id = old.agent_id and at <= ${before})`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },
  }
}
