import { inject } from 'vitest'

/** By how much npm test reduces the number of cases of npm run test:full, and the minimum. */
const SMALLER = 20
const RUNS_MIN = 10

/** Options for fast-check: this many generated cases in full, fewer in npm test. */
export function runs(full: number): { numRuns: number } {
  const short = Math.min(full, Math.max(RUNS_MIN, Math.ceil(full / SMALLER)))
  return { numRuns: fullOrShort({ full, short }) }
}

/** Returns one value for npm run test:full and another for npm test. */
export function fullOrShort<T>({ full, short }: { full: T; short: T }): T {
  return inject('isFull') ? full : short
}

/**
 * Returns all items in full; in npm test only some: one of each run of neighbours, which the seed
 * picks. A fixed distance between them would meet the same bit of every byte.
 */
export function sampleOf<T>(items: readonly T[], short: number): T[] {
  const every = fullOrShort({ full: 1, short: Math.max(1, Math.floor(items.length / short)) })
  const random = randomFrom(inject('seed'))
  const sample: T[] = []
  for (let first = 0; first < items.length; first += every) {
    const neighbours = items.slice(first, first + every)
    sample.push(...neighbours.splice(Math.floor(random() * neighbours.length), 1))
  }
  return sample
}

/** Numbers from 0 to below 1 that follow from the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
