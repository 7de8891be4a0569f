/**
 * Rate limits: the counters, the decision, and the contract of a store.
 *
 * A store reads its counters, passes them to `decide` and counts the request only if it is allowed.
 * So every store makes the same decisions, and rejected requests are not counted.
 */
import { limitKey } from '../identity/client-address.ts'

/** The duration of a fixed window, which opens with its first counted request. */
export const WINDOW_MS = 60_000

/** One request in thousandths of a token, so that `perSecond` is the integer refill per ms. */
export const TOKEN_COST = 1_000

/**
 * `key` is usually caller and route; `limit` is the number of requests in one window. Failed
 * authentications have a window too, taken after the failure: allowed means 401, rejected 429.
 */
export type RouteWindow = {
  key: string
  limit: number
  /** The beginning of the key, if a bucket of this key is taken together with the window. */
  caller?: string
}

/** `key` is the caller; `perSecond` is both the capacity and the refill. */
export type Bucket = { key: string; perSecond: number }

/** `by` is the limit that the numbers refer to. */
export type RateDecision =
  /** Not counted, because no limit applies. */
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

/** The counters of a request. `plan` limits the caller only, independent of the route. */
export function countersOf(input: {
  caller: string
  perSecond: number
  /** Method and registered path. */
  route: string
  perMinute: number | 'plan'
}): { window: RouteWindow | undefined; bucket: Bucket } {
  const { caller, perSecond, route, perMinute } = input
  return {
    window:
      perMinute === 'plan' ? undefined : { key: `${caller} ${route}`, limit: perMinute, caller },
    bucket: { key: caller, perSecond },
  }
}

/** Requests per second of callers without a plan (spec: platform §3). */
export const ANONYMOUS_PER_SECOND = 10

/** The key of a caller without a credential. */
export function anonymousCaller(address: string): string {
  return `ip ${limitKey(address)}`
}

/** Failed authentications per minute and address before they are answered 429 (spec: platform §3). */
const AUTH_FAILURES_MAX = 30

/** Shared by all kinds of credentials. */
export function failureWindow(address: string): RouteWindow {
  return { key: `auth-failures ${limitKey(address)}`, limit: AUTH_FAILURES_MAX }
}

export type RateLimitStore = {
  /**
   * Both limits must allow the request; a rejected one counts in neither and opens no window.
   * Never throws.
   */
  take(
    window: RouteWindow | undefined,
    bucket: Bucket | undefined,
    nowMs: number,
  ): RateDecision | Promise<RateDecision>
  /**
   * Counts a request that was allowed so many times more, also beyond the limit. Does nothing if its
   * window has ended. Never throws.
   */
  charge(window: RouteWindow, count: number, nowMs: number): void | Promise<void>
  close(): Promise<void>
}

/** The counters before this request. Fields of an absent limit are ignored. */
export type RateReading = {
  window: RouteWindow | undefined
  bucket: Bucket | undefined
  /** Requests counted in the open window; 0 if none is open. */
  used: number
  /** Time to the end of the open window; a full window if none is open. */
  resetMs: number
  /** Thousandths of a token, including the refill up to now. */
  millitokens: number
}

/** A constant, so that an unlimited route allocates nothing. */
export const UNMEASURED: RateDecision = { allowed: true, by: 'none' }

export function decide(reading: RateReading): RateDecision {
  const { window, bucket, used, resetMs, millitokens } = reading
  // The window first, because its wait is the longer one if both reject.
  if (window !== undefined && used >= window.limit) return reject('window', window.limit, resetMs)
  if (bucket !== undefined && millitokens < TOKEN_COST) {
    return reject('bucket', bucket.perSecond, 1_000)
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

function reject(by: 'window' | 'bucket', limit: number, resetMs: number): RateDecision {
  const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1_000))
  return { allowed: false, by, limit, remaining: 0, resetMs, retryAfterSeconds }
}

/** A bucket resets when it is full again. */
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

/** No headers if the request was not counted. */
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
