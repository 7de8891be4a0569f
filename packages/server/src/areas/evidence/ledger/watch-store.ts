import type { Verdict } from '@touchstone/protocol/analysis'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

export type Newest = { verdict: Verdict; createdAt: Date; cardGap: boolean }

/** Whether checkpoint `c` was reclassified as a card gap, applied to scores or not. */
const IS_GAP = sql`exists (
  select 1 from checkpoint_reclassification r
  where r.agent_id = c.agent_id and r.position = c.position and r.new_type = 'card_gap')`

/** Reads for the features that act on an agent's latest checkpoints. */
export function createWatchStore(db: Db) {
  return {
    /** The last analysed checkpoint of a session, which the session's row points to. */
    async newestOfSession(agentId: string, sessionId: string): Promise<Newest | undefined> {
      const found = await sql<NewestRow>`
        select c.verdict, c.created_at, ${IS_GAP} as card_gap
        from checkpoint_session s
        join checkpoint c on c.agent_id = ${agentId}
          and c.position = s.window_positions[cardinality(s.window_positions)]
        where s.agent_id = ${agentId} and s.session_id = ${sessionId}`.execute(db)
      return found.rows[0] && toNewest(found.rows[0])
    },

    /** The last analysed checkpoint among the agent's last `lookedAtMax`. */
    async newestOfAgent(agentId: string, lookedAtMax: number): Promise<Newest | undefined> {
      const found = await sql<NewestRow>`
        select c.verdict, c.created_at, ${IS_GAP} as card_gap
        from checkpoint c
        where c.agent_id = ${agentId} and c.synthetic_reason is null and c.position >= (
          select length from chain_head where agent_id = ${agentId}) - ${lookedAtMax}
        order by c.position desc limit 1`.execute(db)
      return found.rows[0] && toNewest(found.rows[0])
    },

    /** Sessions since then with a boundary violation, or with an alert from which they have not recovered. */
    async flaggedSessions(agentId: string, since: Date, limit: number): Promise<string[]> {
      const found = await sql<{ session_id: string }>`
        select session_id from checkpoint_session
        where agent_id = ${agentId} and (last_at is null or last_at >= ${since})
          and (violation_count > 0 or alerted or trace_drift)
        limit ${limit}`.execute(db)
      return found.rows.map((row) => row.session_id)
    },

    async chainLength(agentId: string): Promise<number> {
      const found = await sql<{ length: number }>`
        select length from chain_head where agent_id = ${agentId}`.execute(db)
      return found.rows[0]?.length ?? 0
    },

    /**
     * The length of the run of boundary violations between two positions that ends right before the
     * second. Skips card gaps and synthetic checkpoints. Reads no further back than the run.
     */
    async violationsBefore(agentId: string, from: number, before: number): Promise<number> {
      const counting = sql`c.agent_id = ${agentId} and c.position < ${before}
        and c.synthetic_reason is null and not ${IS_GAP}`
      const found = await sql<{ run: number }>`
        select count(*) as run from checkpoint c
        where ${counting} and c.position > coalesce((
          select c.position from checkpoint c
          where ${counting} and c.position >= ${from} and c.verdict <> 'boundary_violation'
          order by c.position desc limit 1), ${from} - 1)`.execute(db)
      return found.rows[0]?.run ?? 0
    },
  }
}

type NewestRow = { verdict: Verdict; created_at: Date; card_gap: boolean }

function toNewest(row: NewestRow): Newest {
  return { verdict: row.verdict, createdAt: row.created_at, cardGap: row.card_gap }
}
