import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { type Conduct, createConductStore, type GradedViolation } from './conduct-store.ts'
import { edgeOf, rootOf } from './head.ts'

/**
 * Violations listed per agent. Risk scoring caps their sum, and fewer than this reach the cap however
 * light and old they are, so more would make no difference.
 */
const VIOLATIONS_MAX = 1000

export type ConductSpan = {
  now: Date
  /** How far back violations are listed, and how far back the days with one. */
  violationDays: number
  dateDays: number
  /** A critical violation of the last days is always listed, even beyond the maximum. */
  criticalDays: number
}

export type AgentConduct = {
  agentId: string
  /** The number of checkpoints that count towards the score. */
  scored: number
  /** Hex root over all analysed checkpoints; null if there are none. */
  root: string | null
  violations: readonly GradedViolation[]
  /** UTC days with a violation. */
  violationDates: readonly string[]
}

export function createConductService(deps: { db: Db }) {
  return {
    /** Omits unknown agents. Checks no organisation. */
    async conduct(agentIds: readonly string[], span: ConductSpan): Promise<AgentConduct[]> {
      const after = later(span.now, -span.violationDays * DAY_MS)
      const store = createConductStore(deps.db)
      const found = await store.list(agentIds, { after, violationsMax: VIOLATIONS_MAX })
      return Promise.all(found.map((one) => toAgentConduct(store, one, span)))
    },
  }
}

async function toAgentConduct(
  store: ReturnType<typeof createConductStore>,
  { agentId, leafCount, edge, scored, violations }: Conduct,
  span: ConductSpan,
): Promise<AgentConduct> {
  const root = leafCount === 0 ? null : rootOf({ leafCount, edge: edgeOf(edge) })
  const datesAfter = later(span.now, -span.dateDays * DAY_MS)
  if (violations.length < VIOLATIONS_MAX) {
    const recent = violations.filter((one) => one.timestampMs > datesAfter.getTime())
    const violationDates = [...new Set(recent.map((one) => dateOf(one.timestampMs)))]
    return { agentId, scored, root, violations, violationDates }
  }
  const criticalAfter = later(span.now, -span.criticalDays * DAY_MS)
  const critical = await store.latestCritical(agentId, criticalAfter)
  const violationDates = await store.violationDates(agentId, datesAfter)
  return { agentId, scored, root, violations: withCritical(violations, critical), violationDates }
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
