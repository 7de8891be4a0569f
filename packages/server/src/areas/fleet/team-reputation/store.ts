import type { Grade } from '@touchstone/protocol/score'
import { type AssessmentGroup, FADING_DAYS_END, GOOD_LEVELS } from '@touchstone/protocol/teams'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, TeamId } from '../../../kernel/ids.ts'
import type { Before, StoredStanding } from './publication.ts'

type ScoreRow = {
  team_id: string
  chain_length: number
  chain_head: string | null
  last_assessed_at: Date | null
  due_at: Date | null
  computed_at: Date | null
  score: number | null
  grade: string
  tier: string
  confidence: string
  trend_30d: number
  components: unknown
  assessments_used: number
  roster_used: number
  chain_head_used: string | null
  proof_hash: string | null
}

type ScoreTables = {
  team_score: ScoreRow
  team_score_member: {
    team_id: string
    place: number
    agent_id: string | null
    score: number | null
    merkle_root: string | null
    score_hash: string
  }
  team_score_log: { team_id: string; at: Date; score: number }
  team_score_snapshot: {
    team_id: string
    week_start: string
    score: number
    grade: string
    components: unknown
    total_assessments: number
    created_at: Date
  }
}

export type StoredComponent = {
  key: string
  label: string
  weight: number
  score: number
  weightedScore: number
  factors: readonly string[]
}

/** The last published score of a team. */
export type PublishedTeam = {
  score: number | null
  grade: Grade | 'NR'
  tier: string
  confidence: string
  trend30d: number
  components: readonly StoredComponent[]
  /** Number of assessments and roster changes that it was computed from. */
  assessmentsUsed: number
  rosterUsed: number
  chainHead: string | null
  proofHash: string | null
  computedAt: Date
}

/** The end of the chain of counted assessments, and the published score, if any. */
export type TeamStanding = {
  chainLength: number
  chainHead: string | null
  lastAssessedAt: Date | null
  dueAt: Date | null
  published: PublishedTeam | undefined
}

export type Snapshot = {
  weekStart: string
  score: number
  grade: string
  components: Record<string, number>
  totalAssessments: number
  createdAt: Date
}

export function createTeamScoreStore(db: Db) {
  const standings = createStandingRows(db)
  const inputs = createInputRows(db)
  const history = createHistoryRows(db)
  return {
    find: standings.find,
    lock: standings.lock,
    listAfter: standings.listAfter,
    setDue: standings.setDue,
    setChain: standings.setChain,
    publish: standings.publish,
    assessmentGroups: inputs.assessmentGroups,
    members: inputs.members,
    replaceMembers: inputs.replaceMembers,
    anonymiseAgent: inputs.anonymiseAgent,
    log: history.log,
    lastBefore: history.lastBefore,
    purgeLog: history.purgeLog,
    saveWeek: history.saveWeek,
    history: history.history,

    async deleteOf(teamId: TeamId): Promise<void> {
      const q = db.withTables<ScoreTables>()
      await q.deleteFrom('team_score_member').where('team_id', '=', teamId).execute()
      await q.deleteFrom('team_score_log').where('team_id', '=', teamId).execute()
      await q.deleteFrom('team_score_snapshot').where('team_id', '=', teamId).execute()
      await q.deleteFrom('team_score').where('team_id', '=', teamId).execute()
    },
  }
}

function createStandingRows(db: Db) {
  const q = db.withTables<ScoreTables>()
  const byId = (teamId: string) =>
    q.selectFrom('team_score').selectAll().where('team_id', '=', teamId)
  return {
    async find(teamId: string): Promise<TeamStanding | undefined> {
      const row = await byId(teamId).executeTakeFirst()
      return row && toStanding(row)
    },

    /** Inserts the row if it is missing, and locks it until the transaction ends. */
    async lock(teamId: string): Promise<TeamStanding> {
      await sql`insert into team_score (team_id, chain_length, grade, tier, confidence, trend_30d,
          components, assessments_used, roster_used)
        values (${teamId}, 0, 'NR', 'Not Rated', 'insufficient', 0, '[]', 0, 0)
        on conflict do nothing`.execute(db)
      return toStanding(await byId(teamId).forUpdate().executeTakeFirstOrThrow())
    },

    /** A page of ids of teams with a score row, in ascending order after the given id. */
    async listAfter(afterTeamId: string, limit: number): Promise<string[]> {
      const rows = await q
        .selectFrom('team_score')
        .select('team_id')
        .where('team_id', '>', afterTeamId)
        .orderBy('team_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.team_id)
    },

    async setDue(teamId: string, dueAt: Date | null): Promise<void> {
      await q
        .updateTable('team_score')
        .set({ due_at: dueAt })
        .where('team_id', '=', teamId)
        .execute()
    },

    async setChain(
      teamId: string,
      chain: { length: number; head: string; lastAssessedAt: Date },
    ): Promise<void> {
      await q
        .updateTable('team_score')
        .set({
          chain_length: chain.length,
          chain_head: chain.head,
          last_assessed_at: chain.lastAssessedAt,
        })
        .where('team_id', '=', teamId)
        .execute()
    },

    async publish(teamId: string, published: PublishedTeam): Promise<void> {
      await q
        .updateTable('team_score')
        .set({
          due_at: null,
          computed_at: published.computedAt,
          score: published.score,
          grade: published.grade,
          tier: published.tier,
          confidence: published.confidence,
          trend_30d: published.trend30d,
          components: JSON.stringify(published.components),
          assessments_used: published.assessmentsUsed,
          roster_used: published.rosterUsed,
          chain_head_used: published.chainHead,
          proof_hash: published.proofHash,
        })
        .where('team_id', '=', teamId)
        .execute()
    },
  }
}

function createInputRows(db: Db) {
  const q = db.withTables<ScoreTables>()
  return {
    /** Groups the first `length` assessments by age in days; fully decayed ones form one group. */
    async assessmentGroups(
      { teamId, length }: { teamId: string; length: number },
      at: Date,
    ): Promise<AssessmentGroup[]> {
      const found = await sql<{
        days: number
        count: number
        good: number
        cq: number
        sr: number
      }>`select min(days) as days, count(*) as count,
          count(*) filter (where level = any(${GOOD_LEVELS})) as good,
          sum(cq)::bigint as cq, sum(sr)::bigint as sr
        from (
          select greatest(0, floor(extract(epoch from ${at}::timestamptz - created_at) / 86400))::int
              as days, level, cq, sr
          from team_assessment where team_id = ${teamId} and position <= ${length}) as aged
        group by least(days, ${FADING_DAYS_END}::int) order by 1`.execute(db)
      return found.rows.map(({ days, count, good, cq, sr }) => ({
        days,
        count,
        good,
        coherence: cq,
        structuralRisk: sr,
      }))
    },

    async members(teamId: string): Promise<StoredStanding[]> {
      const rows = await q
        .selectFrom('team_score_member')
        .selectAll()
        .where('team_id', '=', teamId)
        .orderBy('place')
        .execute()
      return rows.map(({ agent_id: agentId, merkle_root: merkleRoot, score, score_hash: hash }) =>
        agentId === null
          ? { agentId, merkleRoot: null, score, hash }
          : { agentId, merkleRoot, score, hash },
      )
    },

    async replaceMembers(teamId: string, members: readonly StoredStanding[]): Promise<void> {
      await q.deleteFrom('team_score_member').where('team_id', '=', teamId).execute()
      if (members.length === 0) return
      const rows = members.map((member, place) => ({
        team_id: teamId,
        place,
        agent_id: member.agentId,
        score: member.score,
        merkle_root: member.merkleRoot,
        score_hash: member.hash,
      }))
      await q.insertInto('team_score_member').values(rows).execute()
    },

    /** Keeps scores and hashes, because the published score was computed from them. */
    async anonymiseAgent(agentId: AgentId): Promise<void> {
      await q
        .updateTable('team_score_member')
        .set({ agent_id: null, merkle_root: null })
        .where('agent_id', '=', agentId)
        .execute()
    },
  }
}

function createHistoryRows(db: Db) {
  const q = db.withTables<ScoreTables>()
  return {
    async log(teamId: string, entry: { at: Date; score: number }): Promise<void> {
      await q
        .insertInto('team_score_log')
        .values({ team_id: teamId, ...entry })
        .onConflict((conflict) =>
          conflict.columns(['team_id', 'at']).doUpdateSet({ score: entry.score }),
        )
        .execute()
    },

    async lastBefore(teamId: string, time: Date): Promise<Before['monthAgo']> {
      const row = await q
        .selectFrom('team_score_log')
        .select(['at', 'score'])
        .where('team_id', '=', teamId)
        .where('at', '<=', time)
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && { atMs: row.at.getTime(), score: row.score }
    },

    /** Deletes, per team, the entries older than the last entry before that time. */
    async purgeLog(teamIds: readonly string[], before: Date): Promise<number> {
      const deleted = await sql`delete from team_score_log old where team_id = any(${teamIds})
        and at < (select max(at) from team_score_log
          where team_id = old.team_id and at <= ${before})`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    /** Overwrites the entry of the current week. */
    async saveWeek(teamId: string, week: Snapshot): Promise<void> {
      const row = {
        team_id: teamId,
        week_start: week.weekStart,
        score: week.score,
        grade: week.grade,
        components: JSON.stringify(week.components),
        total_assessments: week.totalAssessments,
        created_at: week.createdAt,
      }
      await q
        .insertInto('team_score_snapshot')
        .values(row)
        .onConflict((conflict) => conflict.columns(['team_id', 'week_start']).doUpdateSet(row))
        .execute()
    },

    /** Latest week first. */
    async history(teamId: string, weeksMax: number): Promise<Snapshot[]> {
      const found = await sql<ScoreTables['team_score_snapshot']>`
        select team_id, week_start::text as week_start, score, grade, components,
          total_assessments, created_at
        from team_score_snapshot where team_id = ${teamId}
        order by week_start desc limit ${weeksMax}`.execute(db)
      return found.rows.map((row) => ({
        weekStart: row.week_start,
        score: row.score,
        grade: row.grade,
        components: row.components as Snapshot['components'],
        totalAssessments: row.total_assessments,
        createdAt: row.created_at,
      }))
    },
  }
}

function toStanding(row: ScoreRow): TeamStanding {
  const { computed_at: computedAt } = row
  return {
    chainLength: row.chain_length,
    chainHead: row.chain_head,
    lastAssessedAt: row.last_assessed_at,
    dueAt: row.due_at,
    published: computedAt === null ? undefined : toPublished(row, computedAt),
  }
}

function toPublished(row: ScoreRow, computedAt: Date): PublishedTeam {
  return {
    score: row.score,
    grade: row.grade as PublishedTeam['grade'],
    tier: row.tier,
    confidence: row.confidence,
    trend30d: row.trend_30d,
    components: row.components as PublishedTeam['components'],
    assessmentsUsed: row.assessments_used,
    rosterUsed: row.roster_used,
    chainHead: row.chain_head_used,
    proofHash: row.proof_hash,
    computedAt,
  }
}
