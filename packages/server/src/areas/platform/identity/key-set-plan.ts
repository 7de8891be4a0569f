/** When to trust a cached key set and when to ask its issuer again (04 §2.3). */
export const FRESH_MS = 10 * 60 * 1000
export const STALE_MS_MAX = 24 * 60 * 60 * 1000
/** For a key id that is not in the set; else anybody could make us call the issuer at will. */
export const UNKNOWN_KID_MS = 60 * 1000
/** While an issuer is down only one request in this time waits for it. */
export const FAILED_MS = 10 * 1000

/** Times in milliseconds since 1970; absent when it has not happened. */
export type KeySetTimes = {
  fetchedAt: number | undefined
  failedAt: number | undefined
  /** The last fetch that an unknown key id caused. */
  soughtAt: number | undefined
}

export type Plan = 'use' | 'fetch' | 'refuse'

export function planLookup(times: KeySetTimes, known: boolean, now: number): Plan {
  const resting = since(times.failedAt, now) < FAILED_MS
  if (since(times.fetchedAt, now) < FRESH_MS) {
    if (known) return 'use'
    return resting || since(times.soughtAt, now) < UNKNOWN_KID_MS ? 'refuse' : 'fetch'
  }
  if (!resting) return 'fetch'
  return known && isUsable(times, now) ? 'use' : 'refuse'
}

/** A set the issuer could not renew still counts for a day. */
export function isUsable(times: KeySetTimes, now: number): boolean {
  return since(times.fetchedAt, now) <= STALE_MS_MAX
}

function since(time: number | undefined, now: number): number {
  return time === undefined ? Number.POSITIVE_INFINITY : now - time
}
