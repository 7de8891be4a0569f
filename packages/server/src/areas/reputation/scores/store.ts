import {
  type AssuranceLevel,
  assess,
  COMPONENTS,
  type ComponentScores,
} from '@touchstone/protocol/score'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Computation, PublishedScore } from './publication.ts'
import { toLevel } from './week-store.ts'

type ScoreRow = {
  agent_id: string
  score: number | null
  grade: string
  tier: string
  confidence: string
  checkpoint_count: number
  trend_30d: number
  components: unknown
  basis: unknown
  chain_length: number
  tree_size: number
  root: Buffer
  drifted_sessions: string[]
  computed_at: Date | null
  assurance: number | null
  assured_score: number | null
}

type ScoreTables = {
  score: ScoreRow
  score_log: { agent_id: string; at: Date; score: number }
  score_past: ComputationRow
}

type ComputationRow = {
  agent_id: string
  computed_at: Date
  score: number
  grade: string
  confidence: string
  checkpoint_count: number
  components: unknown
  root: Buffer
  assurance: number | null
  assured_score: number | null
}

const SCORE_COLUMNS = {
  agent_id: 'text',
  score: 'smallint',
  grade: 'text',
  assurance: 'smallint',
  assured_score: 'smallint',
  tier: 'text',
  confidence: 'text',
  checkpoint_count: 'bigint',
  trend_30d: 'smallint',
  components: 'jsonb',
  basis: 'jsonb',
  chain_length: 'bigint',
  tree_size: 'bigint',
  root: 'hex',
  drifted_sessions: 'text[]',
  computed_at: 'timestamptz',
}
/** The score of an agent before a computation. */
export type Standing = {
  score: number | null
  grade: string
  monthAgo: { atMs: number; score: number } | undefined
}

export type Rating = Pick<PublishedScore, 'score' | 'grade' | 'trend30d'> & {
  assurance: AssuranceLevel | null
}

export function createScoreStore(db: Db) {
  const reads = createScoreReads(db)
  const writes = createScoreWrites(db)
  return {
    find: reads.find,
    lastComputed: reads.lastComputed,
    listPublished: reads.listPublished,
    ratings: reads.ratings,
    computations: reads.computations,
    listMissing: writes.listMissing,
    insertMissing: writes.insertMissing,
    lock: writes.lock,
    save: writes.save,
    log: writes.log,
    deleteOfAgent: writes.deleteOfAgent,
  }
}

function createScoreWrites(db: Db) {
  const q = db.withTables<ScoreTables>()
  return {
    /** The agents that have no score row yet, not even an empty one. */
    async listMissing(agentIds: readonly string[]): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`select agent_id
        from unnest(${agentIds}::text[]) as wanted (agent_id)
        where not exists (select 1 from score where score.agent_id = wanted.agent_id)`.execute(db)
      return found.rows.map((row) => row.agent_id)
    },

    /** Inserts empty score rows, so that they can be locked. */
    async insertMissing(agentIds: readonly string[]): Promise<void> {
      await sql`insert into score (agent_id, grade, tier, confidence, checkpoint_count, trend_30d,
          components, basis, chain_length, tree_size, root)
        select agent_id, 'NR', 'Not Rated', 'insufficient', 0, 0, '[]', '{}', 0, 0, ''
        from unnest(${agentIds}::text[]) as wanted (agent_id)
        order by agent_id
        on conflict do nothing`.execute(db)
    },

    /** Locks the score rows in order of agent id, which avoids deadlocks between computations. */
    async lock(agentIds: readonly string[], monthAgo: Date): Promise<Map<string, Standing>> {
      const found = await sql<{
        agent_id: string
        score: number | null
        grade: string
        month_at: Date | null
        month_score: number | null
      }>`
        select score.agent_id, score.score, score.grade, old.at as month_at, old.score as month_score
        from score left join lateral (
          select at, score from score_log
          where score_log.agent_id = score.agent_id and at <= ${monthAgo}
          order by at desc limit 1) as old on true
        where score.agent_id = any(${agentIds})
        order by score.agent_id for update of score`.execute(db)
      return new Map(
        found.rows.map((row) => [
          row.agent_id,
          {
            score: row.score,
            grade: row.grade,
            monthAgo:
              row.month_at === null || row.month_score === null
                ? undefined
                : { atMs: row.month_at.getTime(), score: row.month_score },
          },
        ]),
      )
    },

    /** Keeps a score that changes in `score_past`: it may be published on the chain for another day. */
    async save(scores: readonly PublishedScore[]): Promise<void> {
      const rows = scores.map(toRow)
      await sql`
        insert into score_past (agent_id, computed_at, score, grade, confidence,
          checkpoint_count, components, root, assurance, assured_score)
        select agent_id, score.computed_at, score.score, score.grade, score.confidence,
          score.checkpoint_count, score.components, score.root, score.assurance,
          score.assured_score
        from score join ${rowsOf(SCORE_COLUMNS, rows)} as r using (agent_id)
        where score.computed_at is not null and score.score is not null
          and (score.score, score.grade, score.assurance)
            is distinct from (r.score, r.grade, r.assurance)
        on conflict do nothing`.execute(db)
      await sql`
        update score set score = r.score, grade = r.grade, tier = r.tier,
          confidence = r.confidence, checkpoint_count = r.checkpoint_count,
          trend_30d = r.trend_30d, components = r.components, basis = r.basis,
          chain_length = r.chain_length, tree_size = r.tree_size, root = r.root,
          drifted_sessions = r.drifted_sessions, computed_at = r.computed_at,
          assurance = r.assurance, assured_score = r.assured_score
        from ${rowsOf(SCORE_COLUMNS, rows)} as r
        where score.agent_id = r.agent_id`.execute(db)
    },

    async log(entries: readonly { agentId: string; at: Date; score: number }[]): Promise<void> {
      if (entries.length === 0) return
      await sql`insert into score_log (agent_id, at, score)
        select * from unnest(${entries.map((one) => one.agentId)}::text[],
          ${entries.map((one) => one.at)}::timestamptz[],
          ${entries.map((one) => one.score)}::smallint[])
        on conflict (agent_id, at) do update set score = excluded.score`.execute(db)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('score').where('agent_id', '=', agentId).execute()
      await q.deleteFrom('score_log').where('agent_id', '=', agentId).execute()
      await q.deleteFrom('score_past').where('agent_id', '=', agentId).execute()
    },
  }
}

function createScoreReads(db: Db) {
  const q = db.withTables<ScoreTables>()
  return {
    /** Undefined before the first computation. */
    async find(agentId: string): Promise<PublishedScore | undefined> {
      const row = await q
        .selectFrom('score')
        .selectAll()
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row === undefined || row.computed_at === null
        ? undefined
        : toScore({ ...row, computed_at: row.computed_at })
    },

    /** Agents without a computation are left out. `root` is that of the tree the score was computed from. */
    async lastComputed(
      agentIds: readonly string[],
    ): Promise<{ agentId: string; score: number | null; root: string | null }[]> {
      const rows = await q
        .selectFrom('score')
        .select(['agent_id', 'score', 'root', 'tree_size'])
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .where('computed_at', 'is not', null)
        .execute()
      return rows.map((row) => ({
        agentId: row.agent_id,
        score: row.score,
        root: row.tree_size === 0 ? null : row.root.toString('hex'),
      }))
    },

    /** Score and components by agent; agents without a published score are left out. */
    async listPublished(
      agentIds: readonly string[],
    ): Promise<Map<string, { score: number | null; components: ComponentScores }>> {
      const rows = await q
        .selectFrom('score')
        .select(['agent_id', 'score', 'components'])
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .where('score', 'is not', null)
        .execute()
      return new Map(
        rows.map(({ agent_id, score, components }) => [
          agent_id,
          // As in toScore.
          { score, components: toNumbers(components as PublishedScore['components']) },
        ]),
      )
    },

    /** The fields that lists of many agents show. Agents without a computation are left out. */
    async ratings(agentIds: readonly string[]): Promise<Map<string, Rating>> {
      const rows = await q
        .selectFrom('score')
        .select(['agent_id', 'score', 'grade', 'assurance', 'trend_30d'])
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .where('computed_at', 'is not', null)
        .execute()
      return new Map(
        rows.map(({ agent_id, score, grade, assurance, trend_30d }) => [
          agent_id,
          {
            score,
            // As in toScore.
            grade: grade as PublishedScore['grade'],
            assurance: toLevel(assurance),
            trend30d: trend_30d,
          },
        ]),
      )
    },

    /** The current computation of each agent and the past ones since that time, newest first. */
    async computations(agentIds: readonly string[], since: Date): Promise<Computation[]> {
      const found = await sql<ComputationRow>`
        select agent_id, computed_at, score, grade, confidence, checkpoint_count, components, root,
          assurance, assured_score
        from score where agent_id = any(${agentIds}) and computed_at is not null
          and score is not null
        union all
        select agent_id, computed_at, score, grade, confidence, checkpoint_count, components, root,
          assurance, assured_score
        from score_past where agent_id = any(${agentIds}) and computed_at >= ${since}
        order by computed_at desc`.execute(db)
      return found.rows.map((row) => ({
        agentId: row.agent_id,
        computedAt: row.computed_at,
        score: row.score,
        // As in toScore.
        grade: row.grade as Computation['grade'],
        confidence: row.confidence as Computation['confidence'],
        checkpointCount: row.checkpoint_count,
        components: row.components as Computation['components'],
        root: row.root.toString('hex'),
        assurance: toLevel(row.assurance),
        assuredScore: row.assured_score,
      }))
    },
  }
}

function toRow(score: PublishedScore) {
  return {
    agent_id: score.agentId,
    score: score.score,
    grade: score.grade,
    tier: score.tier,
    confidence: score.confidence,
    checkpoint_count: score.checkpointCount,
    trend_30d: score.trend30d,
    components: score.components,
    basis: score.basis,
    chain_length: score.chainLength,
    tree_size: score.treeSize,
    root: score.root,
    drifted_sessions: score.driftedSessionIds,
    computed_at: score.computedAt,
    assurance: score.assurance?.level ?? null,
    assured_score: score.assuredScore,
  }
}

/** The casts are safe, because `toRow` wrote the row. */
function toScore(row: ScoreRow & { computed_at: Date }): PublishedScore {
  const basis = row.basis as PublishedScore['basis']
  return {
    agentId: row.agent_id,
    score: row.score,
    grade: row.grade as PublishedScore['grade'],
    tier: row.tier as PublishedScore['tier'],
    confidence: row.confidence as PublishedScore['confidence'],
    checkpointCount: row.checkpoint_count,
    trend30d: row.trend_30d,
    components: row.components as PublishedScore['components'],
    assurance: basis.assurance === undefined ? null : assess(basis.assurance),
    assuredScore: row.assured_score,
    basis,
    chainLength: row.chain_length,
    treeSize: row.tree_size,
    root: row.root.toString('hex'),
    driftedSessionIds: row.drifted_sessions,
    computedAt: row.computed_at,
  }
}

function toNumbers(components: PublishedScore['components']): ComponentScores {
  const numbers = COMPONENTS.map(({ key }) => {
    return [key, components.find((one) => one.key === key)?.score ?? 0] as const
  })
  // The cast is safe: there is a number for each component.
  return Object.fromEntries(numbers) as ComponentScores
}
