import { type ScoreInput, TREND_WINDOW_MS, VIOLATION_WINDOW_MS } from '@touchstone/protocol'
import type { Audit } from '../../../kernel/audit.ts'
import { type Clock, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Agents, Checkpoints, Directory, Orgs, ScoringFacts, Traces } from './ports.ts'
import {
  type Before,
  changeOf,
  componentNumbers,
  type PublishedScore,
  publish,
  snapshotOf,
} from './publication.ts'
import { createScoreStore } from './store.ts'

/** Scores that were read and changed since are dropped on this word; `*` drops them all. */
export const SCORES_TOPIC = 'score'

/** One word for many agents: dropping too much costs less than a word for each. */
export async function announce(
  notices: Notices,
  tx: Db,
  agentIds: readonly string[],
): Promise<void> {
  const [only, more] = agentIds
  if (only !== undefined) await notices.publish(tx, SCORES_TOPIC, more === undefined ? only : '*')
}

export type ComputeDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  notices: Notices
  checkpoints: Checkpoints
  traces: Traces
  agents: Agents
  orgs: Orgs
  directory: Directory
  onComputed(count: number): void
}

export type Computed = { before: Before; after: PublishedScore }

/**
 * Computes and publishes the scores of some agents, in one transaction with whatever else is to be
 * written about it. Those without a single analysed checkpoint are left out.
 */
export async function computeScores(
  deps: ComputeDeps,
  agentIds: readonly string[],
  alsoWrite?: (tx: Db, computed: readonly Computed[]) => Promise<void>,
): Promise<Computed[]> {
  const computed = await transact(deps.db, async (tx) => {
    const store = createScoreStore(tx)
    const standings = await store.lock(agentIds, later(deps.clock.now(), -TREND_WINDOW_MS))
    // After the lock, which may have been waited for: the score speaks of what is read from now on.
    const now = deps.clock.now()
    const since = later(now, -VIOLATION_WINDOW_MS)
    const facts = await deps.checkpoints.scoringFacts(tx, agentIds, since)
    const traces = await deps.traces.storedCounts(tx, agentIds)
    const results = facts.flatMap((one): Computed[] => {
      const before = standings.get(one.agentId)
      if (before === undefined || one.leafCount === 0) return []
      const input = inputOf(one, traces.get(one.agentId) ?? 0, now)
      const end = { chainLength: one.length, treeSize: one.leafCount, root: one.root }
      return [{ before, after: publish({ agentId: one.agentId, input, end }, before) }]
    })
    await save(deps, tx, results)
    await alsoWrite?.(tx, results)
    return results
  })
  deps.onComputed(computed.length)
  return computed
}

/** Pair scores and propagated points have no source yet, so there are none. */
export function inputOf(facts: ScoringFacts, tracesStored: number, now: Date): ScoreInput {
  return {
    nowMs: now.getTime(),
    checkpoints: facts.checkpoints,
    violations: facts.violations,
    sessions: facts.sessions,
    tracesStored,
    peers: { count: 0, pairScoreE4Sum: 0 },
    adjustmentE4: 0,
  }
}

async function save(deps: ComputeDeps, tx: Db, results: readonly Computed[]): Promise<void> {
  if (results.length === 0) return
  const store = createScoreStore(tx)
  const published = results.map((one) => one.after)
  await store.save(published)
  await store.log(
    results.flatMap(({ before, after }) =>
      after.score === null || after.score === before.score
        ? []
        : [{ agentId: after.agentId, at: after.computedAt, score: after.score }],
    ),
  )
  await store.saveWeeks(
    published.flatMap((one) => {
      const week = snapshotOf(one)
      return week === undefined ? [] : [{ ...week, agentId: one.agentId }]
    }),
  )
  await deps.directory.put(tx, published.flatMap(toDirectory))
  await tell(deps, tx, results)
  await announce(
    deps.notices,
    tx,
    published.map((one) => one.agentId),
  )
}

function toDirectory(one: PublishedScore) {
  const { score, grade, tier, components } = one
  if (score === null || grade === 'NR' || tier === 'Not Rated') return []
  const numbers = componentNumbers(components)
  return [
    {
      agentId: one.agentId,
      score,
      grade,
      tier,
      confidence: one.confidence,
      checkpointCount: one.checkpointCount,
      trend30d: one.trend30d,
      components: {
        integrity_ratio: numbers.integrity_ratio ?? 0,
        compliance: numbers.compliance ?? 0,
        drift_stability: numbers.drift_stability ?? 0,
        trace_completeness: numbers.trace_completeness ?? 0,
        coherence_compatibility: numbers.coherence_compatibility ?? 0,
      },
    },
  ]
}

async function tell(deps: ComputeDeps, tx: Db, results: readonly Computed[]): Promise<void> {
  const changed = results.filter(({ before, after }) => changeOf(before, after).scoreChanged)
  if (changed.length === 0) return
  const orgs = await deps.agents.orgsOf(
    tx,
    changed.map(({ after }) => after.agentId),
  )
  const accounts = new Map<string, string | undefined>()
  for (const orgId of new Set(orgs.values())) {
    accounts.set(orgId, await deps.orgs.accountOf(tx, orgId))
  }
  const events = changed.flatMap((one) => {
    const orgId = orgs.get(one.after.agentId)
    const accountId = orgId === undefined ? undefined : accounts.get(orgId)
    return orgId === undefined || accountId === undefined ? [] : eventsOf(one, { orgId, accountId })
  })
  await deps.events.emitAll(tx, events)
}

function eventsOf(
  { before, after }: Computed,
  org: { orgId: string; accountId: string },
): NewEvent[] {
  const { agentId, score, grade, components } = after
  const events: NewEvent[] = [
    {
      ...org,
      type: 'reputation.score_changed',
      data: {
        agent_id: agentId,
        score_before: before.score,
        score_after: score,
        grade,
        components: componentNumbers(components),
      },
    },
  ]
  if (changeOf(before, after).gradeChanged) {
    events.push({
      ...org,
      type: 'reputation.grade_changed',
      data: { agent_id: agentId, grade_before: before.grade, grade_after: grade, score },
    })
  }
  return events
}
