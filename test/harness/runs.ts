import { inject } from 'vitest'

/** How much less npm test tries than npm run test:full, and the least it tries. */
const SMALLER = 20
const RUNS_MIN = 10

/** For fast-check: so many generated cases in full, some of them in npm test. */
export function runs(full: number): { numRuns: number } {
  const short = Math.min(full, Math.max(RUNS_MIN, Math.ceil(full / SMALLER)))
  return { numRuns: sized({ full, short }) }
}

/** One value for npm run test:full and another for npm test. */
export function sized<T>({ full, short }: { full: T; short: T }): T {
  return inject('isFull') ? full : short
}

/** All in full; in npm test so many of them, spread evenly from a place that the seed picks. */
export function some<T>(items: readonly T[], short: number): T[] {
  const every = sized({ full: 1, short: Math.max(1, Math.floor(items.length / short)) })
  const first = inject('seed') % every
  return items.filter((_, at) => at % every === first)
}
