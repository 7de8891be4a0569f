import type { Severity } from '@touchstone/protocol/analysis'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

type HistoryRow = {
  agent_id: string
  leaf_count: number
  edge: Buffer
  scored_count: number
  severities: Severity[]
  times: number[]
}

export type GradedViolation = { severity: Severity; timestampMs: number }

export type AgentHistory = {
  agentId: string
  leafCount: number
  /** The concatenated roots of the complete subtrees, left to right. */
  edge: Buffer
  scoredCount: number
  /** Newest first. */
  violations: GradedViolation[]
}

/** The severity of the worst concern; high for a violation without concerns (spec: risk §1.1). */
const SEVERITY = sql`case
  when c.concerns @> '[{"severity": "critical"}]' then 'critical'
  when c.concerns @> '[{"severity": "high"}]' then 'high'
  when c.concerns @> '[{"severity": "medium"}]' then 'medium'
  when c.concerns @> '[{"severity": "low"}]' then 'low'
  else 'high' end`

/** A violation stops counting as soon as it is reclassified as a card gap. */
const COUNTS = sql`c.verdict = 'boundary_violation' and c.synthetic_reason is null
  and not exists (select 1 from checkpoint_reclassification r
    where r.agent_id = c.agent_id and r.position = c.position and r.new_type = 'card_gap')`

const TIME_MS = sql`(extract(epoch from c.occurred_at) * 1000)::float8`

/** Recent violations of agents, in a bounded number of rows. */
export function createHistoryStore(db: Db) {
  return {
    async list(
      agentIds: readonly string[],
      { after, violationsMax }: { after: Date; violationsMax: number },
    ): Promise<AgentHistory[]> {
      const found = await sql<HistoryRow>`
        select h.agent_id, h.leaf_count, h.edge,
          h.clear_count + h.review_count + h.violation_count as scored_count,
          coalesce(v.severities, '{}') as severities, coalesce(v.times, '{}') as times
        from chain_head h left join lateral (
          select array_agg(severity order by time_ms desc) as severities,
            array_agg(time_ms order by time_ms desc) as times
          from (
            select ${SEVERITY} as severity, ${TIME_MS} as time_ms from checkpoint c
            where c.agent_id = h.agent_id and c.occurred_at > ${after} and ${COUNTS}
            order by c.occurred_at desc limit ${violationsMax}) as newest) as v on true
        where h.agent_id = any(${agentIds})`.execute(db)
      return found.rows.map((row) => ({
        agentId: row.agent_id,
        leafCount: row.leaf_count,
        edge: row.edge,
        scoredCount: row.scored_count,
        violations: row.times.map((timestampMs, at) => ({
          severity: row.severities[at] ?? 'high',
          timestampMs,
        })),
      }))
    },

    async latestCritical(agentId: string, after: Date): Promise<number | undefined> {
      const found = await sql<{ time_ms: number }>`
        select ${TIME_MS} as time_ms from checkpoint c
        where c.agent_id = ${agentId} and c.occurred_at > ${after}
          and c.concerns @> '[{"severity": "critical"}]' and ${COUNTS}
        order by c.occurred_at desc limit 1`.execute(db)
      return found.rows[0]?.time_ms
    },

    /** As `YYYY-MM-DD`, UTC. */
    async violationDates(agentId: string, after: Date): Promise<string[]> {
      const found = await sql<{ day: string }>`
        select distinct (c.occurred_at at time zone 'UTC')::date::text as day from checkpoint c
        where c.agent_id = ${agentId} and c.occurred_at > ${after} and ${COUNTS}`.execute(db)
      return found.rows.map((row) => row.day)
    },
  }
}
