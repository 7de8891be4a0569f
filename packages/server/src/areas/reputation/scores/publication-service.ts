import { VIOLATION_WINDOW_MS } from '@touchstone/protocol/score'
import { type Clock, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { LogQueue, LogRecord } from '../../../log-record.ts'
import type { Propagation } from './correction.ts'
import type { Agents, Checkpoints, Directory, Orgs, Reclassified } from './ports.ts'
import {
  type Before,
  changeOf,
  componentNumbers,
  type PublishedScore,
  snapshotOf,
} from './publication.ts'
import { createScoreStore } from './store.ts'
import { createWeekStore } from './week-store.ts'

/** Notices on this topic invalidate cached scores: of one agent id, or of all agents for `*`. */
export const SCORES_TOPIC = 'score'

/** Sends one `*` for several agents: evicting too much costs less than a notice for each. */
export async function publishInvalidation(
  notices: Notices,
  tx: Db,
  agentIds: readonly string[],
): Promise<void> {
  const [only, more] = agentIds
  if (only !== undefined) await notices.publish(tx, SCORES_TOPIC, more === undefined ? only : '*')
}

export type PublicationDeps = {
  clock: Clock
  events: Events
  notices: Notices
  agents: Agents
  checkpoints: Checkpoints
  orgs: Orgs
  directory: Directory
  log: LogQueue
}

export type Computed = { before: Before; after: PublishedScore; propagation: Propagation }

/** The counts of an agent that has none stored. */
export const NO_VIOLATIONS: Reclassified = { cardGaps: 0, violations: 0 }

/** Stores computed scores, lists them in the directory, and queues their events and log records. */
export async function savePublished(
  deps: PublicationDeps,
  tx: Db,
  results: readonly Computed[],
): Promise<void> {
  if (results.length === 0) return
  const store = createScoreStore(tx)
  const published = results.map((one) => one.after)
  await store.save(published)
  await deps.log.add(tx, published.flatMap(toLogRecord))
  await store.log(
    results.flatMap(({ before, after }) =>
      after.score === null || after.score === before.score
        ? []
        : [{ agentId: after.agentId, at: after.computedAt, score: after.score }],
    ),
  )
  await createWeekStore(tx).save(
    published.flatMap((one) => {
      const week = snapshotOf(one)
      return week === undefined ? [] : [{ ...week, agentId: one.agentId }]
    }),
  )
  const listed = published.flatMap(toDirectoryScore)
  const since = later(deps.clock.now(), -VIOLATION_WINDOW_MS)
  const ids = listed.map(({ agentId }) => agentId)
  const counts = await deps.checkpoints.reclassifiedSince(tx, ids, since)
  await deps.directory.put(
    tx,
    listed.map((one) => ({ ...one, reclassified: counts.get(one.agentId) ?? NO_VIOLATIONS })),
  )
  await emitEvents(deps, tx, results)
  await publishInvalidation(
    deps.notices,
    tx,
    published.map((one) => one.agentId),
  )
}

/** An agent that is not rated publishes no score. */
function toLogRecord(one: PublishedScore): LogRecord[] {
  const { agentId, score, grade, computedAt, checkpointCount, root } = one
  if (score === null) return []
  const computed_at = computedAt.toISOString()
  return [
    {
      type: 'score',
      recordId: `${agentId}/${computed_at}`,
      orgId: null,
      agentId,
      record: {
        agent_id: agentId,
        score,
        grade,
        computed_at,
        checkpoint_count: checkpointCount,
        merkle_root: root,
      },
      at: computedAt,
    },
  ]
}

function toDirectoryScore(one: PublishedScore) {
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
      assurance: one.assurance?.level ?? null,
      assuredScore: one.assuredScore,
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

async function emitEvents(
  deps: PublicationDeps,
  tx: Db,
  results: readonly Computed[],
): Promise<void> {
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
