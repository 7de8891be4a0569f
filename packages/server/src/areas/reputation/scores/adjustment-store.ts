import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Adjustment } from './correction.ts'

type AdjustmentTables = {
  score_adjustment: {
    agent_id: string
    adjustment_id: string
    hop: number
    points_e4: number
    created_at: Date
    valid_until: Date
  }
}

export type StoredAdjustment = { adjustmentId: string; pointsE4: number; validUntil: Date }

/** Propagated points. They count from the transaction that stores them onwards. */
const ADJUSTMENT_COLUMNS = {
  agent_id: 'text',
  adjustment_id: 'text',
  hop: 'smallint',
  points_e4: 'integer',
  created_at: 'timestamptz',
  valid_until: 'timestamptz',
}

export function createAdjustmentStore(db: Db) {
  const q = db.withTables<AdjustmentTables>()
  return {
    async insert(
      adjustments: readonly (Adjustment & { adjustmentId: string })[],
      valid: { from: Date; until: Date },
    ): Promise<void> {
      if (adjustments.length === 0) return
      const rows = adjustments.map((one) => ({
        agent_id: one.agentId,
        adjustment_id: one.adjustmentId,
        hop: one.hop,
        points_e4: one.pointsE4,
        created_at: valid.from,
        valid_until: valid.until,
      }))
      await sql`insert into score_adjustment
          (agent_id, adjustment_id, hop, points_e4, created_at, valid_until)
        select agent_id, adjustment_id, hop, points_e4, created_at, valid_until
        from ${rowsOf(ADJUSTMENT_COLUMNS, rows)} as r`.execute(db)
    },

    /** Sums the points valid at that time by agent; agents without any are left out. */
    async sums(agentIds: readonly string[], at: Date): Promise<Map<string, number>> {
      const found = await sql<{ agent_id: string; total: number }>`
        select agent_id, sum(points_e4)::bigint as total from score_adjustment
        where agent_id = any(${agentIds}) and valid_until > ${at} and created_at <= ${at}
        group by agent_id`.execute(db)
      return new Map(found.rows.map((row) => [row.agent_id, row.total]))
    },

    /** Oldest first. */
    async listValid(agentId: string, at: Date): Promise<StoredAdjustment[]> {
      const rows = await q
        .selectFrom('score_adjustment')
        .select(['adjustment_id', 'points_e4', 'valid_until'])
        .where('agent_id', '=', agentId)
        .where('valid_until', '>', at)
        .where('created_at', '<=', at)
        .orderBy('created_at')
        .orderBy('adjustment_id')
        .execute()
      return rows.map((row) => ({
        adjustmentId: row.adjustment_id,
        pointsE4: row.points_e4,
        validUntil: row.valid_until,
      }))
    },

    async deleteExpired(by: Date): Promise<number> {
      const deleted = await q
        .deleteFrom('score_adjustment')
        .where('valid_until', '<=', by)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('score_adjustment').where('agent_id', '=', agentId).execute()
    },
  }
}
