/** The only source of time. Everything that asks what time it is receives one, so tests can move it. */
export type Clock = {
  now(): Date
  /** The same in milliseconds, for what only compares: no Date has to be made for it. */
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
