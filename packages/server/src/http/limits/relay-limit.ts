import type { Clock } from '../../kernel/clock.ts'
import {
  failureWindow,
  type RateDecision,
  type RateLimitStore,
  rateLimitHeaders,
} from './rate-limit.ts'

export type RelayRefusal = {
  status: number
  message: string
  headers: Readonly<Record<string, string>>
}

/** The limits of callers that the guard does not see, as those of any other call. */
export type RelayLimits = {
  /** Counts a call against the rate of the plan. Undefined if it is allowed. */
  ofConnection(connectionId: string, perSecond: number): Promise<RelayRefusal | undefined>
  /** Counts a failed authentication; too many from one address are refused. */
  ofStranger(address: string): Promise<RelayRefusal | undefined>
}

export function createRelayLimits(deps: {
  /** Absent when RATE_LIMITS=off. */
  rateLimits: RateLimitStore | undefined
  clock: Clock
}): RelayLimits {
  const { rateLimits, clock } = deps
  return {
    async ofConnection(key, perSecond) {
      return refusalOf(await rateLimits?.take(undefined, { key, perSecond }, clock.nowMs()))
    },
    async ofStranger(address) {
      return refusalOf(await rateLimits?.take(failureWindow(address), undefined, clock.nowMs()))
    },
  }
}

function refusalOf(decision: RateDecision | undefined): RelayRefusal | undefined {
  if (decision === undefined || decision.allowed) return undefined
  return {
    status: 429,
    message: 'Too many requests to Touchstone. Retry after the number of seconds in Retry-After.',
    headers: rateLimitHeaders(decision),
  }
}
