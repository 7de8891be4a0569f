import type { Clock } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { type RateDecision, type RateLimitStore, rateLimitHeaders } from './rate-limit.ts'

/** A limit on a resource for all callers together, besides those per caller and route. */
export type SharedLimit = { take(key: string, perMinute: number): Promise<void> }

export function createSharedLimit(deps: {
  /** Absent when RATE_LIMITS=off. */
  rateLimits: RateLimitStore | undefined
  clock: Clock
}): SharedLimit {
  return {
    async take(key, limit) {
      const window = { key: `shared ${key}`, limit }
      const now = deps.clock.nowMs()
      const decision = await deps.rateLimits?.take(window, undefined, now)
      if (decision?.allowed === false) throw rateLimited(decision)
    },
  }
}

export function rateLimited(decision: RateDecision): Problem {
  return new Problem(
    'rate_limited',
    'Too many requests. Retry after the number of seconds in Retry-After.',
    {
      headers: rateLimitHeaders(decision),
    },
  )
}
