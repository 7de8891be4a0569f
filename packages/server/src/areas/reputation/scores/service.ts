import {
  type AssuranceLevel,
  type BadgeSubject,
  CHECKPOINTS_MIN,
  describeUncertainty,
  hasLowNovelty,
  type ScoreInput,
  type Uncertainty,
  unrated,
  VIOLATION_WINDOW_MS,
} from '@touchstone/protocol/score'
import type { Actor } from '../../../audit.ts'
import { later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createAdjustmentStore } from './adjustment-store.ts'
import { computeScores } from './compute-service.ts'
import { createCorrectionService } from './correction-service.ts'
import type { RatedAgent, Reclassified } from './ports.ts'
import {
  componentNumbers,
  type EvidenceEnd,
  type PublishedScore,
  type Snapshot,
} from './publication.ts'
import { type Computed, NO_VIOLATIONS } from './publication-service.ts'
import { createPurgeService, PAST_MS } from './purge-service.ts'
import { createRunService, type RunDeps } from './run-service.ts'
import { createSimulateService } from './simulate-service.ts'
import { createStandingService } from './standing-service.ts'
import { createScoreStore } from './store.ts'
import { createViews, type Seen } from './view-service.ts'
import { createWeekStore } from './week-store.ts'

/** Length of the history (spec: reputation §2). */
const WEEKS_MAX = 104
/** Evidence ids per reason code (spec: reputation §7). */
const EVIDENCE_MAX = 20

export const FIRST_JOB = 'scores.first'

/** The public view of an agent's reputation. */
export type Reputation = Omit<PublishedScore, 'basis' | keyof EvidenceEnd> & {
  visibility: RatedAgent['visibility']
  /** Null while the agent is not eligible. */
  uncertainty: Uncertainty | null
  /** Counts of the last 90 days, by UTC days. */
  reclassified: Reclassified
}

export type Recomputed = {
  /** Undefined for an agent without an analysed checkpoint. */
  computed: Computed | undefined
  /** Number of card gaps that the computation excluded. */
  cardGaps: number
}

/** A response body and its entity tag. */
type Representation = { body: string; etag: string }

/** Keys under which views are cached. */
export const SCORE_KIND = 'score'
const badgeKind = (variant: string): string => `badge ${variant}`

type Views = ReturnType<typeof createViews<Representation>>

export type ScoreService = ReturnType<typeof createScoreService>

export function createScoreService(deps: RunDeps) {
  const views = createViews<Representation>(deps)
  const runs = createRunService(deps)
  const corrections = createCorrectionService(deps)
  const purges = createPurgeService(deps)
  const reads = createReads(deps, views)
  const computations = createComputations(deps, views)
  return {
    startRun: runs.startRun,
    runBatch: runs.runBatch,
    recompute: computations.recompute,
    requestFirst: computations.requestFirst,
    computeFirst: computations.computeFirst,
    erase: computations.erase,
    simulate: createSimulateService(deps).simulate,
    currentScores: createStandingService(deps).currentScores,
    publishedScore: corrections.publishedScore,
    adjustmentsUsed: corrections.adjustmentsUsed,
    purgeAdjustments: corrections.purgeAdjustments,
    purgePast: purges.purgePast,
    purgeLog: purges.purgeLog,
    published: reads.published,
    lastComputed: reads.lastComputed,
    get: reads.get,
    badge: reads.badge,
    history: reads.history,
    publishable: reads.publishable,
    latestWeek: reads.latestWeek,
    weeksAfter: reads.weeksAfter,
    ratings: reads.ratings,
    recentWeeks: reads.recentWeeks,
    view: views.view,
    changed: views.changed,
  }
}

function createComputations(deps: RunDeps, views: Views) {
  return {
    /** Computes on request. Waits for a running computation of the same agent. */
    async recompute(agentId: string, actor: Actor): Promise<Recomputed> {
      const agent = await deps.agents.find(agentId)
      if (agent?.archived !== false) {
        throw new Problem('conflict', 'The score of an archived agent cannot be recomputed.')
      }
      const target = { type: 'agent', id: agentId }
      const entry = { orgId: agent.orgId, action: 'score.recomputed', actor, target }
      let cardGaps = 0
      const [computed] = await computeScores(deps, [agentId], async (tx, [one]) => {
        const { before, after } = one ?? {}
        const score = { from: before?.score ?? null, to: after?.score ?? null }
        await deps.audit.record(tx, { ...entry, changes: { score } })
        cardGaps = await deps.reclassifications.countApplied(tx, agentId)
      })
      const affectsOthers = computed !== undefined && computed.propagation.agentsAffected > 0
      views.invalidate(affectsOthers ? '*' : agentId)
      return { computed, cardGaps }
    },

    /** Enqueued in the transaction that makes the agent eligible; a worker computes it immediately. */
    requestFirst: (tx: Db, agentId: string): Promise<void> =>
      deps.jobs.enqueue(tx, FIRST_JOB, { agent_id: agentId }),

    async computeFirst(agentId: string): Promise<void> {
      await computeScores(deps, await deps.checkpoints.listScorableIn(agentId, agentId))
    },

    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createScoreStore(tx).deleteOfAgent(agentId)
      await createWeekStore(tx).deleteOfAgent(agentId)
      await createAdjustmentStore(tx).deleteOfAgent(agentId)
    },
  }
}

function createReads(deps: RunDeps, views: Views) {
  const store = createScoreStore(deps.db)
  const weeks = createWeekStore(deps.db)
  /** The published score, or the number of checkpoints counted so far for an unrated agent. */
  const findStanding = async (agent: RatedAgent) => {
    const found = await store.find(agent.agentId)
    if (found !== undefined && found.score !== null) return { found, shown: found }
    const live = unrated(await deps.checkpoints.countScored(agent.agentId))
    const computedAt = found?.computedAt ?? agent.createdAt
    const shown = {
      ...live,
      agentId: agent.agentId,
      trend30d: 0,
      assurance: null,
      assuredScore: null,
      computedAt,
    }
    return { found: undefined, shown }
  }

  return {
    published: store.find,

    /** Agents whose score was never computed are left out. */
    lastComputed: (db: Db, agentIds: readonly string[]) =>
      createScoreStore(db).lastComputed(agentIds),

    async get(agent: RatedAgent): Promise<Reputation> {
      const { found, shown } = await findStanding(agent)
      const uncertainty = found === undefined ? null : await explain(deps, found)
      const { agentId, visibility } = agent
      const since = later(deps.clock.now(), -VIOLATION_WINDOW_MS)
      const found90Days = await deps.checkpoints.reclassifiedSince(deps.db, [agentId], since)
      const reclassified = found90Days.get(agentId) ?? NO_VIOLATIONS
      return { ...shown, visibility, uncertainty, reclassified }
    },

    /** An agent hidden from the caller gets the same badge as an unrated one. */
    async badge(
      { agentId, orgIds, variant }: { agentId: string; orgIds: readonly string[]; variant: string },
      draw: (subject: BadgeSubject, assurance: AssuranceLevel | null) => Representation,
    ): Promise<Seen<Representation>> {
      try {
        return await views.view(agentId, orgIds, badgeKind(variant), async (agent) => {
          const { shown } = await findStanding(agent)
          const subject = badgeSubject(shown)
          const made = draw(subject, shown.assurance?.level ?? null)
          return { made, keep: subject.state === 'rated' }
        })
      } catch (err) {
        if (!(err instanceof Problem) || err.code !== 'agent_not_found') throw err
        return { made: draw({ state: 'not_rated' }, null), isPrivate: false }
      }
    },

    async history(agentId: string, orgIds: readonly string[]): Promise<Seen<Snapshot[]>> {
      const { agent } = await deps.agents.getShown(agentId, orgIds)
      const made = await weeks.history(agentId, WEEKS_MAX)
      return { made, isPrivate: agent.visibility === 'private' }
    },

    /** The computations that may be published on the chain now (spec: chain §3), newest first. */
    async publishable(agentIds: readonly string[]) {
      const found = await store.computations(agentIds, later(deps.clock.now(), -PAST_MS))
      return found.map(({ components, ...one }) => ({
        ...one,
        components: componentNumbers(components),
      }))
    },

    /** The latest entry, which changes until its week ends; earlier entries are final. */
    latestWeek: async (agentId: string): Promise<Snapshot | undefined> =>
      (await weeks.history(agentId, 1))[0],
    /** Oldest first. */
    weeksAfter: weeks.after,
    recentWeeks: weeks.recent,
    ratings: store.ratings,
  }
}

type Shown = Pick<Reputation, 'score' | 'grade' | 'tier' | 'trend30d' | 'checkpointCount'>

function badgeSubject({ score, grade, tier, trend30d, checkpointCount }: Shown): BadgeSubject {
  if (score !== null && grade !== 'NR' && tier !== 'Not Rated') {
    return { state: 'rated', score, grade, tier, trend30d }
  }
  return checkpointCount === 0
    ? { state: 'not_rated' }
    : { state: 'building', count: checkpointCount, needed: CHECKPOINTS_MIN }
}

/** Uses the evidence as of the computation, not as of now, so that it explains the score. */
async function explain(deps: RunDeps, found: PublishedScore): Promise<Uncertainty | null> {
  const { agentId, computedAt, chainLength: length, basis } = found
  const since = later(computedAt, -VIOLATION_WINDOW_MS)
  const chain = { agentId, length, computedAt }
  const violations = await deps.checkpoints.listViolations(chain, since)
  const input: ScoreInput = { ...basis, nowMs: computedAt.getTime(), violations }
  const ids = await deps.checkpoints.scoringEvidence(chain, since, EVIDENCE_MAX)
  const isDull = basis.assurance !== undefined && hasLowNovelty(basis.assurance)
  const lowNoveltyIds = isDull ? await deps.checkpoints.lowNoveltyIds(chain, EVIDENCE_MAX) : []
  const lowestPeerIds = await deps.coherence.lowestPeers(agentId, computedAt, EVIDENCE_MAX)
  return describeUncertainty(input, { ...ids, lowestPeerIds, lowNoveltyIds }) ?? null
}
