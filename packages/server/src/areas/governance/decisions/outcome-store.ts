import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { DecisionId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Outcome } from './decision-record.ts'
import { toUuid } from './decision-row.ts'
import type { OutcomeDay } from './outcome-day.ts'
import { addKnown } from './outcome-day-store.ts'

/** An outcome, and the kind of decisions that have it. */
export type NewOutcome = { decisionId: DecisionId; kindId: number; outcome: Outcome }

const COLUMNS = {
  decision_id: 'uuid',
  kind_id: 'integer',
  outcome_at: 'timestamptz',
  outcome_duration_ms: 'real',
  outcome_error: 'text',
  outcome_result_hash: 'hex',
}

export function createOutcomeStore(db: Db) {
  return {
    /**
     * Stores all of the outcomes, or none if a decision has one already or no longer exists; returns
     * whether they were stored. Rows are locked in a fixed order, or concurrent reports could deadlock:
     * decisions, then the counts of their days.
     */
    async insert(
      orgId: string,
      outcomes: readonly NewOutcome[],
      days: readonly OutcomeDay[],
      /** Queues the outcomes for the witnessed log, if they are stored. */
      logging: (condition: RawBuilder<unknown>) => RawBuilder<unknown>,
    ): Promise<boolean> {
      const ids = outcomes.map(({ decisionId }) => toUuid(decisionId))
      const found = await sql<{ updated: number }>`
        with free as materialized (
          select decision_id from decision
          where org_id = ${orgId} and decision_id = any(${ids}::uuid[]) and outcome_at is null
          order by decision_id for update),
        updated as (
        update decision d set kind_id = r.kind_id, outcome_at = r.outcome_at,
          outcome_duration_ms = r.outcome_duration_ms, outcome_error = r.outcome_error,
          outcome_result_hash = r.outcome_result_hash
        from ${rowsOf(COLUMNS, outcomes.map(toRow))} as r
        where d.org_id = ${orgId} and d.decision_id = r.decision_id
          and d.decision_id = any(${ids}::uuid[])
          and (select count(*) from free) = ${ids.length}
        returning d.decision_id),
        logged as (${logging(sql`(select count(*) from free) = ${ids.length}`)}),
        counted as (${addKnown(days, sql`(select from updated)`)})
        select count(*) as updated from updated`.execute(db)
      return found.rows[0]?.updated === outcomes.length
    },
  }
}

function toRow({ decisionId, kindId, outcome }: NewOutcome): Record<keyof typeof COLUMNS, unknown> {
  return {
    decision_id: toUuid(decisionId),
    kind_id: kindId,
    outcome_at: outcome.reportedAt,
    outcome_duration_ms: outcome.durationMs,
    outcome_error: outcome.error,
    outcome_result_hash: outcome.resultHash,
  }
}
