import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { OutcomeDay } from './outcome-day.ts'

const COLUMNS = { agent_id: 'text', day: 'integer', count: 'bigint' }

/** How many decisions allowed a call of an agent, and the outcomes of how many are known. */
export type OutcomeCounts = { allowed: number; known: number }

/**
 * Adds to the counts of days, in a fixed order, or concurrent statements could deadlock. `stored`
 * is a query of the same statement that returns no row if the outcomes were not stored.
 */
export function addKnown(days: readonly OutcomeDay[], stored: RawBuilder<unknown>) {
  return sql`insert into decision_outcome_day as o (agent_id, day, known_count)
    select agent_id, date '1970-01-01' + day, count from ${rowsOf(COLUMNS, days.map(toRow))} as r
    where exists ${stored}
    order by agent_id, day
    on conflict (agent_id, day) do update set known_count = o.known_count + excluded.known_count`
}

export function createOutcomeDayStore(db: Db) {
  return {
    async addAllowed(days: readonly OutcomeDay[]): Promise<void> {
      await sql`insert into decision_outcome_day as o (agent_id, day, allowed_count)
        select agent_id, date '1970-01-01' + day, count
        from ${rowsOf(COLUMNS, days.map(toRow))} as r
        order by agent_id, day
        on conflict (agent_id, day) do update
        set allowed_count = o.allowed_count + excluded.allowed_count`.execute(db)
    },

    /**
     * By agent, from a day counted since 1970-01-01; omits agents without decisions. Decisions that
     * are not folded yet are included; one statement sees each decision exactly once.
     */
    async countsSince(
      agentIds: readonly string[],
      firstDay: number,
    ): Promise<Map<string, OutcomeCounts>> {
      const { rows } = await sql<OutcomeCounts & { agent_id: string }>`
        select agent_id, sum(allowed)::bigint as allowed,
          least(sum(known), sum(allowed))::bigint as known
        from (
          select agent_id, allowed_count as allowed, known_count as known
          from decision_outcome_day
          where agent_id = any(${agentIds}) and day >= date '1970-01-01' + ${firstDay}::integer
          union all
          select agent_id, count, 0 from decision_delta
          where agent_id = any(${agentIds}) and decision in ('allow', 'warn')) as counted
        group by agent_id`.execute(db)
      return new Map(rows.map(({ agent_id, allowed, known }) => [agent_id, { allowed, known }]))
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from decision_outcome_day where agent_id = ${agentId}`.execute(db)
    },
  }
}

function toRow({ agentId, day, count }: OutcomeDay): Record<keyof typeof COLUMNS, unknown> {
  return { agent_id: agentId, day, count }
}
