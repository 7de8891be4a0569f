import { type AssuranceLevel, isAssuranceLevel } from '@touchstone/protocol/score'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Snapshot } from './publication.ts'

type WeekRow = {
  agent_id: string
  week_start: string
  score: number
  grade: string
  checkpoint_count: number
  components: unknown
  assurance: number | null
  assured_score: number | null
}

const WEEK_COLUMNS = {
  agent_id: 'text',
  score: 'smallint',
  grade: 'text',
  assurance: 'smallint',
  assured_score: 'smallint',
  week_start: 'date',
  checkpoint_count: 'bigint',
  components: 'jsonb',
}

/** Weeks that begin between `from` and `to`, both included, up to and including `throughWeek`. */
export type WeekSpan = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  throughWeek: string
}

/** Scores by week. */
export function createWeekStore(db: Db) {
  return {
    /** Latest week first. */
    async history(agentId: string, weeksMax: number): Promise<Snapshot[]> {
      const found = await sql<WeekRow>`
        select agent_id, week_start::text as week_start, score, grade, checkpoint_count, components,
          assurance, assured_score
        from score_snapshot where agent_id = ${agentId}
        order by week_start desc limit ${weeksMax}`.execute(db)
      return found.rows.map(toSnapshot)
    },

    /** The latest scores of each agent, oldest first. Agents without any are left out. */
    async recent(agentIds: readonly string[], weeksMax: number): Promise<Map<string, number[]>> {
      const found = await sql<{ agent_id: string; scores: string }>`
        select agent_id, string_agg(week.score::text, ',' order by week_start) as scores
        from unnest(${agentIds}::text[]) as wanted (agent_id), lateral (
          select week_start, score from score_snapshot s where s.agent_id = wanted.agent_id
          order by week_start desc limit ${weeksMax}) as week
        group by agent_id`.execute(db)
      return new Map(found.rows.map((row) => [row.agent_id, row.scores.split(',').map(Number)]))
    },

    /** Oldest first. */
    async after(
      span: WeekSpan,
      after: Pick<Snapshot, 'weekStart'> | undefined,
      limit: number,
    ): Promise<Snapshot[]> {
      const start = sql`week_start::timestamp at time zone 'UTC'`
      const later = after === undefined ? sql`` : sql`and week_start > ${after.weekStart}::date`
      const from = span.from === undefined ? sql`` : sql`and ${start} >= ${span.from}`
      const to = span.to === undefined ? sql`` : sql`and ${start} <= ${span.to}`
      const found = await sql<WeekRow>`
        select agent_id, week_start::text as week_start, score, grade, checkpoint_count, components,
          assurance, assured_score
        from score_snapshot where agent_id = ${span.agentId}
          and week_start <= ${span.throughWeek}::date ${from} ${to} ${later}
        order by week_start limit ${limit}`.execute(db)
      return found.rows.map(toSnapshot)
    },

    /** Overwrites the entry of the current week; the score follows from the compared components. */
    async save(snapshots: readonly (Snapshot & { agentId: string })[]): Promise<void> {
      if (snapshots.length === 0) return
      const rows = snapshots.map((one) => ({
        agent_id: one.agentId,
        week_start: one.weekStart,
        score: one.score,
        grade: one.grade,
        checkpoint_count: one.checkpointCount,
        components: one.components,
        assurance: one.assurance,
        assured_score: one.assuredScore,
      }))
      await sql`insert into score_snapshot
          (agent_id, week_start, score, grade, checkpoint_count, components, assurance,
            assured_score)
        select agent_id, week_start, score, grade, checkpoint_count, components, assurance,
          assured_score
        from ${rowsOf(WEEK_COLUMNS, rows)} as r
        on conflict (agent_id, week_start) do update set score = excluded.score,
          grade = excluded.grade, checkpoint_count = excluded.checkpoint_count,
          components = excluded.components, assurance = excluded.assurance,
          assured_score = excluded.assured_score
        where (score_snapshot.checkpoint_count, score_snapshot.components,
            score_snapshot.assurance, score_snapshot.assured_score)
          is distinct from (excluded.checkpoint_count, excluded.components, excluded.assurance,
            excluded.assured_score)`.execute(db)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from score_snapshot where agent_id = ${agentId}`.execute(db)
    },
  }
}

export function toLevel(stored: number | null): AssuranceLevel | null {
  return isAssuranceLevel(stored) ? stored : null
}

/** The cast is safe, because only this store writes the rows. */
function toSnapshot(row: WeekRow): Snapshot {
  return {
    weekStart: row.week_start,
    score: row.score,
    grade: row.grade,
    checkpointCount: row.checkpoint_count,
    components: row.components as Snapshot['components'],
    assurance: toLevel(row.assurance),
    assuredScore: row.assured_score,
  }
}
