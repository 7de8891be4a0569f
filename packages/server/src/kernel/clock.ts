/** The only source of time. It is injected wherever time is needed, so that tests can move it. */
export type Clock = {
  now(): Date
  /** In milliseconds, for comparisons: allocates no Date. */
  nowMs(): number
}

export const systemClock: Clock = { now: () => new Date(), nowMs: () => Date.now() }

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export function later(from: Date, ms: number): Date {
  return new Date(from.getTime() + ms)
}
