import type { Bounds } from '../../range/time-range.ts'

/** Fetched per agent; if there may be more, the count is shown with a plus sign. */
export const VIOLATIONS_MAX = 20

type Detected = { detected_at: string }

/**
 * The violations of a range among the newest ones of an agent. There may be more if the list is full and does
 * not reach back to the beginning of the range.
 */
export function violationsIn<T extends Detected>(newestFirst: readonly T[], { from, to }: Bounds) {
  const timeOf = ({ detected_at: at }: Detected) => Date.parse(at)
  const started = newestFirst.filter((violation) => timeOf(violation) >= from.getTime())
  return {
    violations: started.filter((violation) => timeOf(violation) <= to.getTime()),
    hasMore: started.length === VIOLATIONS_MAX,
  }
}
