import { round } from '../base/rounding.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A violation weighs half as much after each week. */
export const VIOLATION_HALF_LIFE_HOURS = 168

/** Violations this old or older no longer count, so nobody has to hand them in. */
export const VIOLATION_WINDOW_MS = 90 * DAY_MS

/** A boundary violation of the scoring set. */
export type Violation = {
  sessionId: string
  timestampMs: number
  /** Reclassified: the card was wrong, not the agent. */
  cardGap: boolean
}

export type ViolationImpact = {
  violations: number
  sessions: number
  cardGaps: number
  /** Sum over the sessions of their newest violation's decayed weight. */
  impact: number
}

/** Those that happened in the window that ends at a time, card gaps included. */
export function violationsInWindow(
  violations: readonly Violation[],
  atMs: number,
): readonly Violation[] {
  return violations.filter((one) => isInWindow(one, atMs))
}

function isInWindow({ timestampMs }: Violation, atMs: number): boolean {
  return timestampMs <= atMs && timestampMs > atMs - VIOLATION_WINDOW_MS
}

/** One session counts once, by its newest violation: a single bad run is not many. */
export function weighViolations(violations: readonly Violation[], atMs: number): ViolationImpact {
  const newest = new Map<string, number>()
  let counted = 0
  let cardGaps = 0
  // One walk: an hourly run weighs those of every agent.
  for (const one of violations) {
    if (!isInWindow(one, atMs)) continue
    if (one.cardGap) {
      cardGaps += 1
      continue
    }
    counted += 1
    const known = newest.get(one.sessionId)
    if (known === undefined || known < one.timestampMs) newest.set(one.sessionId, one.timestampMs)
  }
  // Sorted, because a sum of doubles depends on its order and a score must not.
  const impact = [...newest.values()]
    .sort((a, b) => a - b)
    .reduce((sum, ms) => sum + 2 ** (-(atMs - ms) / HOUR_MS / VIOLATION_HALF_LIFE_HOURS), 0)
  return { violations: counted, sessions: newest.size, cardGaps, impact }
}

export function complianceScore(impact: number): number {
  return round(1000 / ((1 + impact) * Math.sqrt(1 + impact)))
}

/** The score so many days later, provided that nothing new happens. */
export function complianceAfter(
  days: number,
  { violations, nowMs }: { violations: readonly Violation[]; nowMs: number },
): number {
  const known = violationsInWindow(violations, nowMs)
  return complianceScore(weighViolations(known, nowMs + days * DAY_MS).impact)
}
