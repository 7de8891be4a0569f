import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { edgeOf, rootOf } from './head.ts'
import { type AgentHistory, createHistoryStore, type GradedViolation } from './history-store.ts'

/**
 * Violations listed per agent. Risk scoring caps their sum, and fewer than this reach the cap however
 * light and old they are, so more would make no difference.
 */
const VIOLATIONS_MAX = 1000

export type HistoryWindow = {
  now: Date
  /** How many days back violations are listed. */
  violationDays: number
  /** How many days back the dates with a violation are listed. */
  violationDateDays: number
  /** A critical violation of the last days is always listed, even beyond the maximum. */
  criticalDays: number
}

export type CheckpointHistory = {
  agentId: string
  /** The number of checkpoints that count towards the score. */
  scoredCount: number
  /** Hex root over all analysed checkpoints; null if there are none. */
  root: string | null
  violations: readonly GradedViolation[]
  /** UTC days with a violation. */
  violationDates: readonly string[]
}

export function createHistoryService(deps: { db: Db }) {
  return {
    /** Omits unknown agents. Checks no organisation. */
    async checkpointHistory(
      agentIds: readonly string[],
      window: HistoryWindow,
    ): Promise<CheckpointHistory[]> {
      const after = later(window.now, -window.violationDays * DAY_MS)
      const store = createHistoryStore(deps.db)
      const found = await store.list(agentIds, { after, violationsMax: VIOLATIONS_MAX })
      return Promise.all(found.map((one) => toCheckpointHistory(store, one, window)))
    },
  }
}

async function toCheckpointHistory(
  store: ReturnType<typeof createHistoryStore>,
  { agentId, leafCount, edge, scoredCount, violations }: AgentHistory,
  window: HistoryWindow,
): Promise<CheckpointHistory> {
  const root = leafCount === 0 ? null : rootOf({ leafCount, edge: edgeOf(edge) })
  const datesAfter = later(window.now, -window.violationDateDays * DAY_MS)
  if (violations.length < VIOLATIONS_MAX) {
    const recent = violations.filter((one) => one.timestampMs > datesAfter.getTime())
    const violationDates = [...new Set(recent.map((one) => dateOf(one.timestampMs)))]
    return { agentId, scoredCount, root, violations, violationDates }
  }
  const criticalAfter = later(window.now, -window.criticalDays * DAY_MS)
  const critical = await store.latestCritical(agentId, criticalAfter)
  const violationDates = await store.violationDates(agentId, datesAfter)
  return {
    agentId,
    scoredCount,
    root,
    violations: withCritical(violations, critical),
    violationDates,
  }
}

function withCritical(
  violations: readonly GradedViolation[],
  timestampMs: number | undefined,
): readonly GradedViolation[] {
  const isListed = violations.some(
    (one) => one.severity === 'critical' && one.timestampMs === timestampMs,
  )
  if (timestampMs === undefined || isListed) return violations
  return [...violations, { severity: 'critical', timestampMs }]
}

function dateOf(timestampMs: number): string {
  return new Date(timestampMs).toISOString().slice(0, 10)
}
