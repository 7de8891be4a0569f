import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyRefusal, type Operation, roleAllows } from '../../access.ts'
import type { Actor } from '../../audit.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { unavailable } from '../answers/error-map.ts'
import type { Idempotency } from '../answers/idempotency.ts'
import { type Authenticate, unauthorized } from '../identity/authenticate.ts'
import { type Caller, type Tenant, tenantOf } from '../identity/caller.ts'
import { clientAddress, limitKey } from '../identity/client-address.ts'
import {
  ANONYMOUS_PER_SECOND,
  anonymousCaller,
  countersOf,
  type RateDecision,
  type RateLimitStore,
  rateLimitHeaders,
} from '../limits/rate-limit.ts'
import { tooMany } from '../limits/shared-limit.ts'
import type { GuardedRequest } from './guarded.ts'
import type { Access } from './route-rules.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** The organisation this request acts in, once the guard has found it. */
    tenant: Tenant | undefined
    clientIp: string
    /**
     * Whether the credential that was let in would be let in now, for what goes on long after: it
     * may have expired or been revoked, and its owner have left or changed roles.
     */
    isStillAdmitted(): Promise<boolean>
  }
}

export type GuardDeps = {
  authenticate: Authenticate
  idempotency: Idempotency
  clock: Clock
  trustedHops: number
  /** Absent when RATE_LIMITS=off. */
  rateLimits: RateLimitStore | undefined
  /** The organisation that owns an agent; undefined for an unknown or erased one. */
  orgOfAgent(agentId: string): Promise<string | undefined>
  /** The organisation that owns a team; undefined for an unknown or erased one. */
  orgOfTeam(teamId: string): Promise<string | undefined>
  /** Also of a deleted organisation, until it is erased. */
  orgExists(orgId: string): Promise<boolean>
  /** False while the schema is not there yet. */
  isReady(): boolean
  onRateLimited(route: string): void
  /** Every request under impersonation is told to the target's organisations. */
  onImpersonated(req: GuardedRequest): Promise<void>
}

export type Guard = (req: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

/**
 * The order of checks (spec: platform §1.2), once, for every route: only handlers know more. Gives
 * the reply where an Idempotency-Key answered it, and throws where a check refuses the request.
 */
export function createGuard(deps: GuardDeps): Guard {
  return async (req, reply) => {
    const { access } = req.route.config
    if (access === undefined) throw new Error(`route ${req.route.url} declares no access`)
    if (!deps.isReady()) throw unavailable()
    req.caller = await identify(req, access, deps)
    await limit(req, reply, deps)
    assertNoNul(req)
    if (impersonating(req)) await deps.onImpersonated(req)
    await admit(req, access, deps)
    assertWithinBounds(req)
    return (await deps.idempotency.begin(req, reply)) ? reply : undefined
  }
}

/**
 * Organisation, then role and scope. Where only the handler can tell the organisation it is entered
 * later (`enterTenant`), unless the caller has but one and is refused or let in by that already.
 */
async function admit(req: GuardedRequest, access: Access, deps: GuardDeps): Promise<void> {
  if (!isOperation(access)) {
    if (access === 'platform') await assertOrgInPath(req, deps)
    authorizePerson(req.caller, access)
    return
  }
  const { tenantFrom } = req.route.config
  const hasChoice = req.caller.kind === 'user' && req.caller.tenants.length !== 1
  if (tenantFrom === 'handler' && hasChoice) return
  req.tenant = await pathTenant(req, deps)
  authorize(req.caller, req.tenant, access)
}

/** See `FastifyRequest.isStillAdmitted`. Only of a route whose access is an operation. */
export async function isStillAdmitted(
  req: GuardedRequest,
  authenticate: Authenticate,
): Promise<boolean> {
  const { access } = req.route.config
  const caller = await authenticate(req)
  if (caller === undefined || access === undefined || !isOperation(access)) return false
  const tenant = tenantOf(caller, requireTenant(req).orgId)
  if (tenant === undefined || tenant.locked) return false
  return refusalOf(caller, tenant, access) === undefined
}

/** PostgreSQL text cannot hold NUL; no identifier of ours has one. */
function assertNoNul(req: GuardedRequest): void {
  if (req.url.includes('%00')) throw new Problem('invalid_request', 'The address contains %00.')
}

function isOperation(access: Access): access is Operation {
  return access !== 'public' && access !== 'user' && access !== 'platform'
}

async function identify(req: GuardedRequest, access: Access, deps: GuardDeps): Promise<Caller> {
  req.clientIp = clientAddress({
    socketAddress: req.socket.remoteAddress,
    forwardedFor: req.headers['x-forwarded-for'],
    trustedHops: deps.trustedHops,
  })
  const caller = await deps.authenticate(req)
  if (access === 'public') return caller ?? { kind: 'anonymous' }
  if (caller === undefined || caller.kind === 'anonymous') return refuseUnknown(req, deps)
  return caller
}

/** After this many a minute from one address, failing authentications are 429 (spec: platform §3). */
const AUTH_FAILURES_MAX = 30

async function refuseUnknown(req: GuardedRequest, deps: GuardDeps): Promise<never> {
  const window = { key: `auth-failures ${limitKey(req.clientIp)}`, limit: AUTH_FAILURES_MAX }
  const decision = await deps.rateLimits?.take(window, undefined, deps.clock.nowMs())
  if (decision?.allowed === false) throw tooMany(decision)
  throw unauthorized()
}

async function limit(req: GuardedRequest, reply: FastifyReply, deps: GuardDeps): Promise<void> {
  const { rateLimits } = deps
  const { perMinute, perMinuteFor, limitBy } = req.route.config
  if (rateLimits === undefined || perMinute === 'unlimited' || perMinute === undefined) return
  const caller = limitBy === 'address' ? anonymousCaller(req.clientIp) : callerKey(req)
  const route = `${req.route.method} ${req.route.url}`
  const perSecond = perSecondOf(req.caller)
  const { window, bucket } = countersOf({ caller, perSecond, route, perMinute })
  const decision = await rateLimits.take(window, bucket, deps.clock.nowMs())
  if (!decision.allowed) return refuse(req, decision, deps)
  reply.headers(rateLimitHeaders(decision))
  if (perMinuteFor === undefined) return
  // The narrower limit of some routes, such as tries to claim one agent.
  const key = `${caller} ${route} ${pathParam(req, perMinuteFor.param)}`
  const narrow = { key, limit: perMinuteFor.limit }
  const narrowed = await rateLimits.take(narrow, undefined, deps.clock.nowMs())
  if (!narrowed.allowed) refuse(req, narrowed, deps)
}

function refuse(req: GuardedRequest, decision: RateDecision, deps: GuardDeps): never {
  deps.onRateLimited(req.route.url ?? '')
  throw tooMany(decision)
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

/** The path's organisation, else the one the caller acts for (spec: platform §2.1). */
function findTenant(req: GuardedRequest): Tenant {
  return selectTenant(req.caller, pathParam(req, 'org_id') ?? orgInHeader(req))
}

/** For people only: a key belongs to one organisation. */
function orgInHeader({ caller, headers }: GuardedRequest): string | undefined {
  const named = caller.kind === 'user' ? headers['x-org-id'] : undefined
  return named === undefined ? undefined : String(named)
}

/** An administrator belongs to no organisation, so its being there is all that can be asked. */
async function assertOrgInPath(req: GuardedRequest, deps: GuardDeps): Promise<void> {
  const orgId = pathParam(req, 'org_id')
  const isAdmin = req.caller.kind === 'user' && req.caller.isPlatformAdmin
  if (orgId === undefined || !isAdmin || (await deps.orgExists(orgId))) return
  throw new Problem('not_found', 'No such organisation.')
}

async function pathTenant(req: GuardedRequest, deps: GuardDeps): Promise<Tenant> {
  const { tenantFrom } = req.route.config
  if (tenantFrom === 'agent') return agentTenant(req, deps)
  return tenantFrom === 'team' ? teamTenant(req, deps) : findTenant(req)
}

async function teamTenant(req: GuardedRequest, deps: GuardDeps): Promise<Tenant> {
  const orgId = await deps.orgOfTeam(pathParam(req, 'team_id') ?? '')
  const tenant = orgId === undefined ? undefined : tenantOf(req.caller, orgId)
  if (tenant !== undefined) return tenant
  throw new Problem('not_found', 'No such team.')
}

/**
 * Another organisation's agent is answered exactly like a missing one (spec: platform §1.2), be it not the
 * caller's or not the one the path names.
 */
async function agentTenant(req: GuardedRequest, deps: GuardDeps): Promise<Tenant> {
  const named = pathParam(req, 'org_id') === undefined ? undefined : findTenant(req)
  const orgId = await deps.orgOfAgent(pathParam(req, 'agent_id') ?? '')
  const tenant = orgId === undefined ? undefined : tenantOf(req.caller, orgId)
  if (tenant !== undefined && orgId === (named?.orgId ?? orgId)) return tenant
  throw new Problem(req.route.config.unknownAgent ?? 'agent_not_found', 'No such agent.')
}

function selectTenant(caller: Caller, orgId: string | undefined): Tenant {
  if (orgId !== undefined) {
    const tenant = tenantOf(caller, orgId)
    if (tenant === undefined) throw new Problem('not_found', 'No such organisation.')
    return tenant
  }
  if (caller.kind === 'key') return caller.tenant
  const tenants = caller.kind === 'user' ? caller.tenants : []
  const only = tenants[0]
  if (only !== undefined && tenants.length === 1) return only
  throw new Problem(
    'invalid_request',
    tenants.length === 0
      ? 'You belong to no organisation. Create one or accept an invitation first.'
      : 'You belong to several organisations. Say which with org_id or the X-Org-Id header.',
  )
}

/** For the few routes whose organisation is named in the body: the same rules, a little later. */
export function enterTenant(
  req: GuardedRequest,
  orgId: string | undefined,
  operation: Operation,
): Tenant {
  const tenant = selectTenant(req.caller, orgId ?? orgInHeader(req))
  authorize(req.caller, tenant, operation)
  assertFeature(req, tenant)
  req.tenant = tenant
  return tenant
}

function pathParam(req: GuardedRequest, name: string): string | undefined {
  const params = req.params
  if (typeof params !== 'object' || params === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(params, name)?.value
  return typeof value === 'string' ? value : undefined
}

function authorize(caller: Caller, tenant: Tenant, operation: Operation): void {
  if (tenant.locked) {
    throw new Problem('forbidden', 'This organisation requires its single sign-on.')
  }
  const refusal = refusalOf(caller, tenant, operation)
  if (refusal !== undefined) throw new Problem('forbidden', refusal)
}

function refusalOf(caller: Caller, { role }: Tenant, operation: Operation): string | undefined {
  if (caller.kind === 'key') return keyRefusal({ role, scopes: caller.scopes }, operation)
  return roleAllows(role, operation) ? undefined : `Your role (${role}) does not allow this.`
}

function authorizePerson(caller: Caller, access: 'public' | 'user' | 'platform'): void {
  if (access === 'public') return
  if (caller.kind === 'key') {
    throw new Problem('forbidden', 'An API key may not do this. Sign in and use the session token.')
  }
  if (access === 'user' || (caller.kind === 'user' && caller.isPlatformAdmin)) return
  throw new Problem('forbidden', 'Only a platform administrator may do this.')
}

function assertWithinBounds(req: GuardedRequest): void {
  const { leadsOut, tenantFrom } = req.route.config
  if (leadsOut === true) assertUnconfined(req.caller)
  if (impersonating(req)) assertReadOnly(req)
  // Otherwise it is asked for when the handler enters the organisation, and with its role.
  if (req.tenant !== undefined || tenantFrom !== 'handler') assertFeature(req, req.tenant)
}

function assertUnconfined(caller: Caller): void {
  if (caller.kind !== 'user' || caller.confinedTo === undefined) return
  throw new Problem(
    'forbidden',
    "You signed in through an organisation's own provider, for it only.",
  )
}

function impersonating(req: GuardedRequest): boolean {
  return req.caller.kind === 'user' && req.caller.impersonator !== undefined
}

function assertReadOnly(req: GuardedRequest): void {
  if (req.method === 'GET' || req.method === 'HEAD') return
  throw new Problem('forbidden', 'Impersonation may look, not change.')
}

function assertFeature(req: GuardedRequest, tenant: Tenant | undefined): void {
  const { feature } = req.route.config
  if (feature === undefined || tenant?.entitlements.features.has(feature)) return
  const message = `The organisation's plan does not include ${feature}.`
  throw new Problem(feature === 'intelligence' ? 'feature_required' : 'forbidden', message)
}

/** Who is acting, for records and the audit log. Only past the guard of a non-public route. */
export function actorOf(req: GuardedRequest): Actor {
  const { caller } = req
  if (caller.kind === 'anonymous') throw new Error('an anonymous caller cannot act')
  return {
    type: caller.kind === 'key' ? 'api_key' : 'user',
    id: caller.kind === 'key' ? caller.keyId : caller.userId,
    userId: caller.userId,
    impersonatedBy:
      caller.kind === 'user' && caller.impersonator !== undefined
        ? caller.impersonator.userId
        : null,
    ip: req.clientIp,
    requestId: req.id,
  }
}

/** Where a request came from, for records of what nobody signed in did. */
export function originOf(req: GuardedRequest): { ip: string; requestId: string } {
  return { ip: req.clientIp, requestId: req.id }
}

/** The organisation of a route whose access is an operation. */
export function requireTenant(req: GuardedRequest): Tenant {
  if (req.tenant === undefined) throw new Error('this route has no organisation')
  return req.tenant
}

/** The person behind a route whose access is `user` or `platform`. */
export function requireUser(req: GuardedRequest) {
  if (req.caller.kind !== 'user') throw new Error('this route is for signed-in people')
  return req.caller
}

/** Organisations whose own view of a public thing the caller may have. */
export function orgIdsOf(req: GuardedRequest): string[] {
  const { caller } = req
  if (caller.kind === 'key') {
    return caller.scopes.includes('read') ? [caller.tenant.orgId] : []
  }
  if (caller.kind === 'anonymous') return []
  return caller.tenants.filter((tenant) => !tenant.locked).map((tenant) => tenant.orgId)
}
