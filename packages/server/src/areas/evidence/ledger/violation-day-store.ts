import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { ViolationDay } from './violation-day.ts'

/** Violations of an agent, and those of them that were reclassified as card gaps. */
export type Reclassified = { cardGaps: number; violations: number }

type TotalRow = { agent_id: string; card_gaps: number; violations: number }

/** Running counts by day, so that reads never count checkpoints. */
export function createViolationDayStore(db: Db) {
  return {
    async add(days: readonly ViolationDay[]): Promise<void> {
      await sql`insert into checkpoint_violation_day as d (agent_id, day, violation_count)
        select * from unnest(${days.map((one) => one.agentId)}::text[],
          ${days.map((one) => one.day)}::date[], ${days.map((one) => one.violations)}::bigint[])
        on conflict (agent_id, day) do update
          set violation_count = d.violation_count + excluded.violation_count`.execute(db)
    },

    /** Counts a checkpoint, which `add` has counted as a violation, as a card gap. */
    async addCardGap(of: { agentId: string; checkpointId: string }): Promise<void> {
      await sql`update checkpoint_violation_day d set card_gap_count = d.card_gap_count + 1
        from checkpoint_owner o
        join checkpoint c on c.agent_id = o.agent_id and c.position = o.position
        where o.checkpoint_id = ${of.checkpointId} and o.agent_id = ${of.agentId}
          and d.agent_id = o.agent_id
          and d.day = (c.occurred_at at time zone 'UTC')::date`.execute(db)
    },

    /** Sums of the UTC days since the one of `since`. Agents without violations are left out. */
    async totals(agentIds: readonly string[], since: Date): Promise<Map<string, Reclassified>> {
      const found = await sql<TotalRow>`
        select agent_id, sum(card_gap_count)::bigint as card_gaps,
          sum(violation_count)::bigint as violations
        from checkpoint_violation_day
        where agent_id = any(${agentIds}) and day >= ${since.toISOString().slice(0, 10)}::date
        group by agent_id`.execute(db)
      return new Map(
        found.rows.map((row) => [
          row.agent_id,
          { cardGaps: row.card_gaps, violations: row.violations },
        ]),
      )
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from checkpoint_violation_day where agent_id = ${agentId}`.execute(db)
    },
  }
}
