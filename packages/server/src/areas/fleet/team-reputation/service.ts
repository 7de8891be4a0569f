import {
  type BadgeSubject,
  type Grade,
  type Tier,
  TREND_WINDOW_MS,
} from '@touchstone/protocol/score'
import { TEAM_ASSESSMENTS_MIN } from '@touchstone/protocol/teams'
import type { Actor } from '../../../audit.ts'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeByOwners } from '../../../kernel/db.ts'
import type { AgentId, TeamId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createChainStore } from './chain-store.ts'
import { type ComputeDeps, computeAndPublish } from './compute-service.ts'
import { type AssessmentLedger, createAssessmentLedger, type LedgerDeps } from './ledger-service.ts'
import type { RatedTeam } from './ports.ts'
import { createRunService, type RunDeps } from './run-service.ts'
import { createGetShown, type GetShown, type Seen } from './shown-service.ts'
import { createTeamScoreStore, type PublishedTeam, type Snapshot } from './store.ts'
import { createVerifyService } from './verify-service.ts'

/** Length of the history (spec: reputation §2). */
const WEEKS_MAX = 104

export type TeamReputationDeps = ComputeDeps & LedgerDeps & RunDeps

/** The public view of a team's reputation. */
export type TeamReputationView = Pick<
  PublishedTeam,
  'score' | 'grade' | 'tier' | 'confidence' | 'trend30d' | 'components' | 'computedAt'
> & {
  team: RatedTeam
  totalAssessments: number
  lastAssessedAt: Date | null
  memberCount: number
}

export type TeamReputationService = ReturnType<typeof createTeamReputationService>

export function createTeamReputationService(deps: TeamReputationDeps) {
  const store = createTeamScoreStore(deps.db)
  const ledger: AssessmentLedger = createAssessmentLedger(deps)
  const getShown = createGetShown(deps.teams)
  const reads = createReads(deps, getShown)
  const runs = createRunService(deps)
  return {
    get: reads.get,
    history: reads.history,
    badge: reads.badge,
    verify: createVerifyService(deps, getShown).verify,
    append: ledger.append,
    rosterChanged: ledger.rosterChanged,
    startRun: runs.startRun,
    runBatch: runs.runBatch,
    computeDue: runs.computeDue,

    /** Computes on request, which is metered. */
    async recompute(teamId: string, actor: Actor): Promise<void> {
      await computeAndPublish(deps, teamId, 'request', async (tx, { before, after }) => {
        const team = await deps.teams.lockActive(tx, teamId)
        await deps.audit.record(tx, {
          orgId: team.orgId,
          action: 'team_score.recomputed',
          actor,
          target: { type: 'team', id: teamId },
          changes: { score: { from: before.score, to: after.score } },
        })
      })
    },

    /** A trend needs the last entry before its window, and nothing older. */
    async purgeLog(now: Date): Promise<number> {
      const before = later(now, -TREND_WINDOW_MS - DAY_MS)
      return purgeByOwners(store.listAfter, (teamIds) => store.purgeLog(teamIds, before))
    },

    /** Called when a team is erased. */
    async eraseTeam(tx: Db, teamId: TeamId): Promise<void> {
      await createChainStore(tx).deleteOf(teamId)
      await createTeamScoreStore(tx).deleteOf(teamId)
    },

    /** Called when an agent that was a member is erased. */
    eraseAgent: (tx: Db, agentId: AgentId): Promise<void> =>
      createTeamScoreStore(tx).anonymiseAgent(agentId),
  }
}

function createReads(deps: TeamReputationDeps, getShown: GetShown) {
  const store = createTeamScoreStore(deps.db)
  /** Shows the published score, or the number of assessments counted so far for an unrated team. */
  const view = async (team: RatedTeam): Promise<TeamReputationView> => {
    const standing = await store.find(team.teamId)
    const published = standing?.published
    const isRated = published !== undefined && published.score !== null
    const memberCount = (await deps.teams.membersOf(deps.db, team.teamId)).length
    return {
      ...(published ?? { ...UNRATED, computedAt: team.createdAt }),
      team,
      memberCount,
      totalAssessments: isRated ? published.assessmentsUsed : (standing?.chainLength ?? 0),
      lastAssessedAt: standing?.lastAssessedAt ?? null,
    }
  }
  return {
    async get(teamId: string, orgIds: readonly string[]): Promise<Seen<TeamReputationView>> {
      const team = await getShown(teamId, orgIds)
      return { made: await view(team), isPrivate: team.visibility === 'private' }
    },

    async history(teamId: string, orgIds: readonly string[]): Promise<Seen<Snapshot[]>> {
      const team = await getShown(teamId, orgIds)
      const made = await store.history(teamId, WEEKS_MAX)
      return { made, isPrivate: team.visibility === 'private' }
    },

    /** A team hidden from the caller gets the same badge as an unrated one. */
    async badge(teamId: string, orgIds: readonly string[]): Promise<Seen<BadgeSubject>> {
      try {
        const team = await getShown(teamId, orgIds)
        return { made: badgeSubject(await view(team)), isPrivate: team.visibility === 'private' }
      } catch (err) {
        if (!(err instanceof Problem) || err.code !== 'not_found') throw err
        return { made: { state: 'not_rated' }, isPrivate: false }
      }
    },
  }
}

const UNRATED = {
  score: null,
  grade: 'NR',
  tier: 'Not Rated',
  confidence: 'insufficient',
  trend30d: 0,
  components: [],
} as const

function badgeSubject(view: TeamReputationView): BadgeSubject {
  const { score, grade, tier, trend30d, totalAssessments: count } = view
  if (score !== null && grade !== 'NR') {
    // The casts are safe, because grade and tier of a stored score were computed by the protocol.
    return { state: 'rated', score, grade: grade as Grade, tier: tier as Tier, trend30d }
  }
  return count === 0
    ? { state: 'not_rated' }
    : { state: 'building', count, needed: TEAM_ASSESSMENTS_MIN }
}
