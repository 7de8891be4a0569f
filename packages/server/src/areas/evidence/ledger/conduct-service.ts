import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { type Conduct, createConductStore, type GradedViolation } from './conduct-store.ts'
import { edgeOf, rootOf } from './head.ts'

/**
 * Violations that are told of an agent. Whoever weighs them adds them up to a limit that fewer
 * than this reach, however light and old they are, so none beyond would make a difference.
 */
const VIOLATIONS_MAX = 1000

export type ConductSpan = {
  now: Date
  /** How far back violations are told, and how far back the days of them. */
  violationDays: number
  dateDays: number
  /** One that is critical and as young as this is told whatever else there is. */
  criticalDays: number
}

export type AgentConduct = {
  agentId: string
  /** How many checkpoints count. */
  scored: number
  /** Hex, over all analysed checkpoints; null while there is none. */
  root: string | null
  violations: readonly GradedViolation[]
  /** UTC days with a violation. */
  violationDates: readonly string[]
}

export function createConductService(deps: { db: Db }) {
  return {
    /** Of those that there are, whoever's they are. */
    async conduct(agentIds: readonly string[], span: ConductSpan): Promise<AgentConduct[]> {
      const after = later(span.now, -span.violationDays * DAY_MS)
      const store = createConductStore(deps.db)
      const found = await store.list(agentIds, { after, violationsMax: VIOLATIONS_MAX })
      return Promise.all(found.map((one) => tell(store, one, span)))
    },
  }
}

async function tell(
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
  const isTold = violations.some(
    (one) => one.severity === 'critical' && one.timestampMs === timestampMs,
  )
  if (timestampMs === undefined || isTold) return violations
  return [...violations, { severity: 'critical', timestampMs }]
}

function dateOf(timestampMs: number): string {
  return new Date(timestampMs).toISOString().slice(0, 10)
}
