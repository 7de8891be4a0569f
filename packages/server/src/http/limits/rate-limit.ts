/**
 * Rate limits: what is measured, what is answered, and what a store must promise.
 *
 * A store reads its counters, hands the reading to `decide` and counts the request only when the
 * decision allows it. So every store gives the same answers, and a rejected request costs nothing.
 */
import { limitKey } from '../identity/client-address.ts'

/** A window is fixed: it opens with its first counted request and ends this much later. */
export const WINDOW_MS = 60_000

/** One request in thousandths of a token: `perSecond` then is the exact integer refill per ms. */
export const TOKEN_COST = 1_000

/**
 * `key` names what is counted, as a rule caller and route; `limit` is the number in one window.
 * Failed authentications are such a window too: taken only once a request has failed, allowed
 * means 401 and refused means 429.
 */
export type RouteWindow = { key: string; limit: number }

/** `key` names the caller; `perSecond` is both the capacity and the refill. */
export type Bucket = { key: string; perSecond: number }

/** `by` is the limit the numbers describe. */
export type RateDecision =
  /** Nothing was measured: no limit applies, or the store is out of order. */
  | { allowed: true; by: 'none' }
  | { allowed: true; by: 'window' | 'bucket'; limit: number; remaining: number; resetMs: number }
  | {
      allowed: false
      by: 'window' | 'bucket'
      limit: number
      remaining: number
      resetMs: number
      retryAfterSeconds: number
    }

/** What a request counts in. `plan` limits the caller alone, whatever the route. */
export function countersOf(input: {
  caller: string
  perSecond: number
  /** Method and path, as registered. */
  route: string
  perMinute: number | 'plan'
}): { window: RouteWindow | undefined; bucket: Bucket } {
  const { caller, perSecond, route, perMinute } = input
  return {
    window: perMinute === 'plan' ? undefined : { key: `${caller} ${route}`, limit: perMinute },
    bucket: { key: caller, perSecond },
  }
}

/** Plan limits per second for callers without a plan (spec: platform §3). */
export const ANONYMOUS_PER_SECOND = 10

/** Whoever shows no credential is known by the address alone. */
export function anonymousCaller(address: string): string {
  return `ip ${limitKey(address)}`
}

export type RateLimitStore = {
  /**
   * Both must pass; a rejected request counts in neither and opens no window.
   * Never rejects: a store that cannot count allows, and reports through its own `onError`.
   */
  take(
    window: RouteWindow | undefined,
    bucket: Bucket | undefined,
    nowMs: number,
  ): RateDecision | Promise<RateDecision>
  close(): Promise<void>
}

/** What a store found before counting this request. Fields of an absent limit are not read. */
export type RateReading = {
  window: RouteWindow | undefined
  bucket: Bucket | undefined
  /** Requests already counted in the open window; 0 when none is open. */
  used: number
  /** To the end of the open window; a full window when none is open. */
  resetMs: number
  /** Thousandths of a token, refilled up to now. */
  millitokens: number
}

/** Shared, so that an unlimited route allocates nothing. */
export const UNMEASURED: RateDecision = { allowed: true, by: 'none' }

export function decide(reading: RateReading): RateDecision {
  const { window, bucket, used, resetMs, millitokens } = reading
  // The window first: where both refuse, its wait is the longer and so the honest one.
  if (window !== undefined && used >= window.limit) return refuse('window', window.limit, resetMs)
  if (bucket !== undefined && millitokens < TOKEN_COST) {
    return refuse('bucket', bucket.perSecond, 1_000)
  }
  if (window !== undefined) {
    return {
      allowed: true,
      by: 'window',
      limit: window.limit,
      remaining: window.limit - used - 1,
      resetMs,
    }
  }
  return bucket === undefined ? UNMEASURED : allowByBucket(bucket.perSecond, millitokens)
}

function refuse(by: 'window' | 'bucket', limit: number, resetMs: number): RateDecision {
  const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1_000))
  return { allowed: false, by, limit, remaining: 0, resetMs, retryAfterSeconds }
}

/** A bucket has no window's end; it resets when it is full again. */
function allowByBucket(perSecond: number, millitokens: number): RateDecision {
  const left = millitokens - TOKEN_COST
  return {
    allowed: true,
    by: 'bucket',
    limit: perSecond,
    remaining: Math.floor(left / TOKEN_COST),
    resetMs: Math.ceil((perSecond * TOKEN_COST - left) / perSecond),
  }
}

/** Empty when nothing was measured: a header that guesses is worse than none. */
export function rateLimitHeaders(decision: RateDecision): Record<string, string> {
  if (decision.by === 'none') return {}
  const seconds = decision.by === 'window' ? WINDOW_MS / 1_000 : 1
  const headers: Record<string, string> = {
    'RateLimit-Limit': String(decision.limit),
    'RateLimit-Remaining': String(decision.remaining),
    'RateLimit-Reset': String(Math.ceil(decision.resetMs / 1_000)),
    'RateLimit-Policy': `${decision.limit};w=${seconds}`,
  }
  if (!decision.allowed) headers['Retry-After'] = String(decision.retryAfterSeconds)
  return headers
}
