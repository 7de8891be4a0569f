import type { AssuranceCounts, AssuranceDay } from '@touchstone/protocol/score'
import { type RawBuilder, sql } from 'kysely'
import { rowsOf } from '../../../postgres/rows.ts'

/** The checkpoints that one statement adds to a day of an agent. */
export type AgentDay = AssuranceDay & { agentId: string }

const COLUMNS = {
  agent_id: 'text',
  day: 'integer',
  clear_count: 'integer',
  burst_count: 'integer',
  novelty_count: 'integer',
  effective_count: 'integer',
  observed_count: 'integer',
  relayed_count: 'integer',
}

/** Part of the statement that appends, which locks the heads of the agents before. */
export function addDays(days: readonly AgentDay[]): RawBuilder<unknown> {
  return sql`insert into assurance_day as a (agent_id, day, clear_count, burst_count,
      novelty_count, effective_count, observed_count, relayed_count)
    select agent_id, date '1970-01-01' + day, clear_count, burst_count, novelty_count,
      effective_count, observed_count, relayed_count
    from ${rowsOf(COLUMNS, days.map(toRow))} as r
    on conflict (agent_id, day) do update set
      clear_count = a.clear_count + excluded.clear_count,
      burst_count = a.burst_count + excluded.burst_count,
      novelty_count = a.novelty_count + excluded.novelty_count,
      effective_count = a.effective_count + excluded.effective_count,
      observed_count = a.observed_count + excluded.observed_count,
      relayed_count = a.relayed_count + excluded.relayed_count`
}

/** The names are those of the sums in the statement below. */
export type CountsRow = Record<keyof AssuranceCounts, number>

/**
 * The sums of an agent's days, at most one row per day, from a day counted since 1970-01-01.
 * INVARIANT: gives the same as `sumAssuranceDays`.
 */
export function sumsSince(firstDay: number, agentId: string): RawBuilder<CountsRow> {
  return sql<CountsRow>`(
    select json_build_object(
      'clear', coalesce(sum(clear_count), 0),
      'setAsideByBurst', coalesce(sum(burst_count), 0),
      'setAsideByNovelty', coalesce(sum(novelty_count), 0),
      'effective', coalesce(sum(effective_count), 0),
      'observed', coalesce(sum(observed_count), 0),
      'relayed', coalesce(sum(relayed_count), 0),
      'days', count(*) filter (where effective_count > 0),
      'spanDays', coalesce(max(day) filter (where effective_count > 0)
        - min(day) filter (where effective_count > 0), 0))
    from assurance_day
    where assurance_day.agent_id = ${sql.ref(agentId)}
      and day >= date '1970-01-01' + ${firstDay}::integer)`
}

function toRow({ agentId, ...day }: AgentDay) {
  return {
    agent_id: agentId,
    day: day.day,
    clear_count: day.clear,
    burst_count: day.setAsideByBurst,
    novelty_count: day.setAsideByNovelty,
    effective_count: day.effective,
    observed_count: day.observed,
    relayed_count: day.relayed,
  }
}
