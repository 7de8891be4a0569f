import type { FastifyReply } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import type { Caller } from '../identity/caller.ts'
import {
  ANONYMOUS_PER_SECOND,
  anonymousCaller,
  countersOf,
  type RateDecision,
  type RateLimitStore,
  rateLimitHeaders,
} from '../limits/rate-limit.ts'
import { rateLimited } from '../limits/shared-limit.ts'
import { type GuardedRequest, pathParam } from './guarded.ts'

export type LimitDeps = {
  clock: Clock
  /** Absent when RATE_LIMITS=off. */
  rateLimits: RateLimitStore | undefined
  onRateLimited(route: string): void
}

/** Counts a request for its caller and route. */
export async function limitRequest(
  req: GuardedRequest,
  reply: FastifyReply,
  deps: LimitDeps,
): Promise<void> {
  const { rateLimits } = deps
  const { perMinute, conflictCost, costFrom } = req.route.config
  if (rateLimits === undefined || perMinute === 'unlimited' || perMinute === undefined) return
  const caller = limitedCaller(req)
  const route = `${req.route.method} ${req.route.url}`
  const perSecond = perSecondOf(req.caller)
  const { window, bucket } = countersOf({ caller, perSecond, route, perMinute })
  const decision = await rateLimits.take(window, bucket, deps.clock.nowMs())
  if (!decision.allowed) return rejectLimited(req, decision, deps)
  reply.headers(rateLimitHeaders(decision))
  if (window !== undefined && (conflictCost !== undefined || costFrom !== undefined)) {
    req.charge = (count) => rateLimits.charge(window, count, deps.clock.nowMs())
  }
}

/** Some routes have a limit per resource besides, such as attempts to claim one agent. */
export async function limitForResource(req: GuardedRequest, deps: LimitDeps): Promise<void> {
  const { perMinuteFor } = req.route.config
  if (deps.rateLimits === undefined || perMinuteFor === undefined) return
  const route = `${req.route.method} ${req.route.url}`
  const key = `${limitedCaller(req)} ${route} ${pathParam(req, perMinuteFor.param)}`
  const narrow = { key, limit: perMinuteFor.limit }
  const narrowed = await deps.rateLimits.take(narrow, undefined, deps.clock.nowMs())
  if (!narrowed.allowed) rejectLimited(req, narrowed, deps)
}

function limitedCaller(req: GuardedRequest): string {
  return req.route.config.limitBy === 'address' ? anonymousCaller(req.clientIp) : callerKey(req)
}

function rejectLimited(req: GuardedRequest, decision: RateDecision, deps: LimitDeps): never {
  deps.onRateLimited(req.route.url ?? '')
  throw rateLimited(decision)
}

function callerKey(req: GuardedRequest): string {
  const { caller } = req
  if (caller.kind === 'key') return caller.keyId
  if (caller.kind === 'user') return caller.userId
  return anonymousCaller(req.clientIp)
}

function perSecondOf(caller: Caller): number {
  if (caller.kind === 'key') return caller.tenant.entitlements.requestsPerSecond
  if (caller.kind === 'anonymous') return ANONYMOUS_PER_SECOND
  const plans = caller.tenants.map((tenant) => tenant.entitlements.requestsPerSecond)
  return Math.max(ANONYMOUS_PER_SECOND, ...plans)
}
