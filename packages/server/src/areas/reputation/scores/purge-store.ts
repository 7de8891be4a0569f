import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** What outlives its use. */
export function createPurgeStore(db: Db) {
  const q = db.withTables<{ score: { agent_id: string } }>()
  return {
    async purgePast(before: Date, limit: number): Promise<number> {
      const gone = await sql`delete from score_past where ctid = any(array(
        select ctid from score_past where computed_at < ${before} limit ${limit}))`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },

    /** Of agents with a score, by id, a page after the given one. */
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

    /** Of each the entries before the last one from before that time. */
    async purgeLog(agentIds: readonly string[], before: Date): Promise<number> {
      const gone = await sql`delete from score_log old where agent_id = any(${agentIds})
        and at < (select max(at) from score_log
          where agent_id = old.agent_id and at <= ${before})`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },
  }
}
