import { round } from '../base/rounding.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A violation's weight halves every week. */
export const VIOLATION_HALF_LIFE_HOURS = 168

/** Violations at least this old do not count, so callers may omit them. */
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
  /** The sum over sessions of the decayed weight of their newest violation. */
  impact: number
}

/** The violations in the window that ends at the given time, card gaps included. */
export function violationsInWindow(
  violations: readonly Violation[],
  atMs: number,
): readonly Violation[] {
  return violations.filter((one) => isInWindow(one, atMs))
}

function isInWindow({ timestampMs }: Violation, atMs: number): boolean {
  return timestampMs <= atMs && timestampMs > atMs - VIOLATION_WINDOW_MS
}

/** Each session counts once, by its newest violation, because a single bad run is one incident. */
export function weighViolations(violations: readonly Violation[], atMs: number): ViolationImpact {
  const newest = new Map<string, number>()
  let counted = 0
  let cardGaps = 0
  // A single pass, because the hourly run weighs the violations of every agent.
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

/** The score after a number of days, provided that nothing new happens. */
export function complianceAfter(
  days: number,
  { violations, nowMs }: { violations: readonly Violation[]; nowMs: number },
): number {
  const known = violationsInWindow(violations, nowMs)
  return complianceScore(weighViolations(known, nowMs + days * DAY_MS).impact)
}
