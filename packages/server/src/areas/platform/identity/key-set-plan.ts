/** A cached key set is used this long before it is fetched again (spec: platform §2.3). */
export const FRESH_MS = 10 * 60 * 1000
/** If the issuer cannot be reached, a stale key set is used up to this age. */
export const STALE_MS_MAX = 24 * 60 * 60 * 1000
/** Minimum time between fetches for unknown key ids; without it anybody could flood the issuer. */
export const UNKNOWN_KID_MS = 60 * 1000
/**
 * Back-off after a failed fetch: while an issuer is down, one request per interval waits for it.
 */
export const FAILED_MS = 10 * 1000

/** Times in milliseconds since 1970; `undefined` if it has not happened. */
export type KeySetTimes = {
  fetchedAt: number | undefined
  failedAt: number | undefined
  /** Time of the last fetch that an unknown key id caused. */
  unknownKidFetchedAt: number | undefined
}

export type Plan = 'use' | 'fetch' | 'refuse'

export function planLookup(times: KeySetTimes, isKnownKey: boolean, now: number): Plan {
  const isBackingOff = since(times.failedAt, now) < FAILED_MS
  if (since(times.fetchedAt, now) < FRESH_MS) {
    if (isKnownKey) return 'use'
    const isThrottled = since(times.unknownKidFetchedAt, now) < UNKNOWN_KID_MS
    return isBackingOff || isThrottled ? 'refuse' : 'fetch'
  }
  if (!isBackingOff) return 'fetch'
  return isKnownKey && isUsable(times, now) ? 'use' : 'refuse'
}

export function isUsable(times: KeySetTimes, now: number): boolean {
  return since(times.fetchedAt, now) <= STALE_MS_MAX
}

function since(time: number | undefined, now: number): number {
  return time === undefined ? Number.POSITIVE_INFINITY : now - time
}
