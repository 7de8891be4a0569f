import {
  type AssuranceInput,
  firstAssuranceDay,
  type PeerScores,
  type ScoreInput,
  TREND_WINDOW_MS,
  VIOLATION_WINDOW_MS,
} from '@touchstone/protocol/score'
import type { Audit } from '../../../audit.ts'
import { later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { createAdjustmentStore } from './adjustment-store.ts'
import type { Propagation } from './correction.ts'
import {
  applyCorrections,
  type CorrectionDeps,
  planCorrections,
  propagateCorrections,
} from './correction-service.ts'
import type { Coherence, Decisions, ScoringFacts, Traces, WitnessedLog } from './ports.ts'
import { publish } from './publication.ts'
import { type Computed, type PublicationDeps, savePublished } from './publication-service.ts'
import { createScoreStore } from './store.ts'
import { witnessedAmong } from './witnessed-service.ts'

export type ComputeDeps = CorrectionDeps &
  PublicationDeps & {
    audit: Audit
    traces: Traces
    coherence: Coherence
    decisions: Decisions
    witnessedLog: WitnessedLog
    onComputed(count: number): void
    /** Time spent on finding and locking the agents that corrections reach, and storing their points. */
    onPropagated(ms: number): void
    /** A monotonic clock in milliseconds, with fractions. */
    elapsedMs(): number
    /** Reports an agent whose computation failed in an hourly run; its score stays unchanged. */
    onFailed(agentId: string, err: unknown): void
  }

const NO_PROPAGATION: Propagation = { agentsAffected: 0, maxDepth: 0 }

/**
 * Computes and publishes the scores of some agents in one transaction, which `alsoWrite` joins.
 * Agents without an analysed checkpoint are left out. Pending reclassifications of these agents are
 * applied, and the agents that the corrections reach are recomputed too. Pending reclassifications
 * of the reached agents are not applied: corrections could otherwise propagate in a cycle.
 */
export async function computeScores(
  deps: ComputeDeps,
  agentIds: readonly string[],
  alsoWrite?: (tx: Db, computed: readonly Computed[]) => Promise<void>,
): Promise<Computed[]> {
  const { computed, count, propagationMs } = await transact(deps.db, async (tx) => {
    const stopwatch = createStopwatch(deps.elapsedMs)
    const planned = await stopwatch.timed(planCorrections(deps, tx, agentIds))
    const reached = planned.flatMap((one) => one.reached.map(({ agentId }) => agentId))
    const allIds = [...new Set([...agentIds, ...reached])]
    const store = createScoreStore(tx)
    const missing = await store.listMissing(allIds)
    // INVARIANT: no erased agent gets a score. Erasing an agent waits for its row lock, taken here
    // for agents without a score row, and otherwise for the lock on the score row below.
    if (missing.length > 0) await store.insertMissing(await deps.agents.hold(tx, missing))
    const standings = await store.lock(allIds, later(deps.clock.now(), -TREND_WINDOW_MS))
    // Lock order: appending to a chain and closing it lock the agent first, so corrections do too.
    if (planned.length > 0) await stopwatch.timed(deps.agents.hold(tx, allIds))
    // Read the clock after the locks, which may have waited: the score covers what is read from here.
    const now = deps.clock.now()
    const corrections = await applyCorrections(deps, tx, planned, now)
    const read = await readEvidence(deps, tx, allIds, now)
    const evidence = read.filter(({ facts }) => !facts.closed)
    const assured = await readAssurance(deps, tx, evidence, now)
    const inputs = new Map(evidence.map(({ facts, input }) => [facts.agentId, input]))
    const propagated = await stopwatch.timed(propagateCorrections(tx, corrections, inputs, now))
    const points = pointsByAgent(propagated)
    const results = evidence.flatMap(({ facts, input }): Computed[] => {
      const { agentId } = facts
      const before = standings.get(agentId)
      const assurance = assured.get(agentId)
      if (before === undefined || assurance === undefined) return []
      const adjustmentE4 = input.adjustmentE4 + (points.get(agentId) ?? 0)
      const after = publish(
        {
          agentId,
          input: { ...input, adjustmentE4 },
          assured: assurance,
          end: endOf(facts),
        },
        before,
      )
      const propagation = propagated.propagations.get(agentId) ?? NO_PROPAGATION
      return [{ before, after, propagation }]
    })
    await savePublished(deps, tx, results)
    await settleReclassifications(deps, tx, { corrections, results, now })
    const requestedIds = new Set(agentIds)
    const requested = results.filter(({ after }) => requestedIds.has(after.agentId))
    await alsoWrite?.(tx, requested)
    const propagationMs = reached.length === 0 ? undefined : stopwatch.totalMs()
    return { computed: requested, count: results.length, propagationMs }
  })
  deps.onComputed(count)
  if (propagationMs !== undefined) deps.onPropagated(propagationMs)
  return computed
}

/** Sums the time spent in the promises passed to `timed`. */
function createStopwatch(elapsedMs: () => number) {
  let totalMs = 0
  return {
    totalMs: () => totalMs,
    async timed<T>(work: Promise<T>): Promise<T> {
      const startedMs = elapsedMs()
      const result = await work
      totalMs += elapsedMs() - startedMs
      return result
    },
  }
}

type Evidence = { facts: ScoringFacts; input: ScoreInput }

/** Reads the score inputs of the agents that have at least one analysed checkpoint. */
export async function readEvidence(
  deps: Pick<ComputeDeps, 'checkpoints' | 'coherence' | 'traces'>,
  tx: Db,
  agentIds: readonly string[],
  now: Date,
): Promise<Evidence[]> {
  const since = later(now, -VIOLATION_WINDOW_MS)
  const at = { now, violationsAfter: since }
  const found = await deps.checkpoints.scoringFacts(tx, agentIds, at)
  const traces = await deps.traces.verifiedCounts(tx, agentIds)
  const peers = await deps.coherence.peersOf(tx, agentIds, now)
  const adjustments = await createAdjustmentStore(tx).sums(agentIds, now)
  return found.flatMap((facts): Evidence[] => {
    if (facts.leafCount === 0) return []
    const { agentId } = facts
    const otherInputs = {
      tracesVerified: traces.get(agentId) ?? 0,
      peers: peers.get(agentId),
      adjustmentE4: adjustments.get(agentId) ?? 0,
    }
    return [{ facts, input: inputOf(facts, otherInputs, now) }]
  })
}

/** The inputs of the assurance of each agent. */
export async function readAssurance(
  deps: Pick<ComputeDeps, 'agents' | 'checkpoints' | 'decisions' | 'witnessedLog'>,
  tx: Db,
  evidence: readonly { facts: ScoringFacts }[],
  now: Date,
): Promise<Map<string, AssuranceInput>> {
  const agentIds = evidence.map(({ facts }) => facts.agentId)
  const claimed = await deps.agents.claimedAmong(tx, agentIds)
  const firstDay = firstAssuranceDay(now.getTime())
  const outcomes = await deps.decisions.outcomesSince(tx, agentIds, firstDay)
  const witnessed = await witnessedAmong(deps, tx, agentIds, now)
  return new Map(
    evidence.map(({ facts: { agentId, assurance } }) => {
      const { allowed, known } = outcomes.get(agentId) ?? { allowed: 0, known: 0 }
      const input: AssuranceInput = {
        ...assurance,
        claimed: claimed.has(agentId),
        decisionsAllowed: allowed,
        outcomesKnown: known,
        witnessed: witnessed.has(agentId),
      }
      return [agentId, input]
    }),
  )
}

export function inputOf(
  facts: ScoringFacts,
  otherInputs: { tracesVerified: number; peers: PeerScores | undefined; adjustmentE4: number },
  now: Date,
): ScoreInput {
  return {
    nowMs: now.getTime(),
    checkpoints: facts.checkpoints,
    violations: facts.violations,
    sessions: facts.sessions,
    ...otherInputs,
    peers: otherInputs.peers ?? { count: 0, pairScoreE4Sum: 0 },
  }
}

type Propagated = Awaited<ReturnType<typeof propagateCorrections>>

function pointsByAgent({ adjustments }: Propagated): Map<string, number> {
  const points = new Map<string, number>()
  for (const { agentId, pointsE4 } of adjustments) {
    points.set(agentId, (points.get(agentId) ?? 0) + pointsE4)
  }
  return points
}

function endOf({
  length: chainLength,
  leafCount: treeSize,
  root,
  driftedSessionIds,
}: ScoringFacts) {
  return { chainLength, treeSize, root, driftedSessionIds }
}

type AppliedCorrections = {
  corrections: Awaited<ReturnType<typeof applyCorrections>>
  results: readonly Computed[]
  now: Date
}

async function settleReclassifications(
  deps: ComputeDeps,
  tx: Db,
  { corrections, results, now }: AppliedCorrections,
): Promise<void> {
  const scores = new Map(results.map(({ after }) => [after.agentId, after.score]))
  const settled = corrections.flatMap(({ agentId, pending }) =>
    pending.map(({ reclassificationId }) => {
      return { agentId, reclassificationId, scoreAfter: scores.get(agentId) ?? null }
    }),
  )
  if (settled.length > 0) await deps.reclassifications.settle(tx, settled, now)
}
