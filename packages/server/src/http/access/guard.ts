import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyRefusal, type Operation, roleAllows } from '../../access.ts'
import type { Actor } from '../../audit.ts'
import { Problem } from '../../kernel/problem.ts'
import { unavailable } from '../answers/error-map.ts'
import type { Idempotency } from '../answers/idempotency.ts'
import { decodeBody } from '../body/body.ts'
import { containsAddress } from '../identity/address-list.ts'
import {
  type Authenticate,
  assertOneAuthorization,
  unauthorized,
} from '../identity/authenticate.ts'
import {
  boundAgentOf,
  type Caller,
  type KeyCaller,
  type Tenant,
  tenantOf,
} from '../identity/caller.ts'
import { clientAddress } from '../identity/client-address.ts'
import { adoptLegacyKey } from '../identity/key-headers.ts'
import { failureWindow } from '../limits/rate-limit.ts'
import { rateLimited } from '../limits/shared-limit.ts'
import { type RegisteredIds, useRegisteredIds } from './agent-ids.ts'
import { confineToAgent, notForBoundKeys } from './bound-key.ts'
import { type GuardedRequest, pathParam } from './guarded.ts'
import { type LimitDeps, limitForResource, limitRequest } from './request-limit.ts'
import type { Access } from './route-rules.ts'
import {
  assertOrgInPath,
  orgInHeader,
  pathTenant,
  selectTenant,
  type TenantDeps,
} from './tenant.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** The organisation that this request acts in; set by the guard. */
    tenant: Tenant | undefined
    clientIp: string
    /** Counts the request so many times more towards its rate limit; undefined on most routes. */
    charge: ((count: number) => Promise<void> | void) | undefined
    /**
     * Repeats authentication and authorisation, for responses that last long, such as streams: the
     * credential may have been revoked since, and its owner may have left or changed roles. Responses
     * to the same credential can share the question whose it is.
     */
    isStillAdmitted(askOnce?: AskOnce): Promise<boolean>
  }
}

export type GuardDeps = TenantDeps &
  LimitDeps & {
    authenticate: Authenticate
    idempotency: Idempotency
    trustedHops: number
    /** Further names of the header of API keys, in lower case. */
    legacyKeyHeaders: readonly string[]
    registeredIds: RegisteredIds
    /** False until the migrations have run. */
    isReady(): boolean
    /** Records every request under impersonation in the organisations of the target. */
    onImpersonated(req: GuardedRequest): Promise<void>
  }

export type Guard = (req: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

/**
 * The checks of every route, in the order of spec: platform §1.2. Returns the reply if an
 * Idempotency-Key was replayed, and throws if a check rejects the request.
 */
export function createGuard(deps: GuardDeps): Guard {
  return async (req, reply) => {
    const { access } = req.route.config
    if (access === undefined) throw new Error(`route ${req.route.url} declares no access`)
    if (!deps.isReady()) throw unavailable()
    req.caller = await identify(req, access, deps)
    await limitRequest(req, reply, deps)
    assertNoNul(req)
    await useRegisteredIds(req, deps.registeredIds)
    await limitForResource(req, deps)
    if (isImpersonated(req)) await deps.onImpersonated(req)
    await req.route.config.checkFirst?.(req)
    await admit(req, access, deps)
    assertAllowed(req)
    await decodeBody(req)
    return (await deps.idempotency.begin(req, reply)) ? reply : undefined
  }
}

/**
 * Finds the organisation, then checks role and scope. If only the handler can determine the
 * organisation, both happen in `enterTenant`, unless the caller has exactly one organisation.
 */
async function admit(req: GuardedRequest, access: Access, deps: GuardDeps): Promise<void> {
  if (!isOperation(access)) {
    if (access === 'platform') await assertOrgInPath(req, deps)
    authorizeUser(req.caller, access)
    return
  }
  confineToAgent(req)
  const { tenantFrom } = req.route.config
  const hasChoice = req.caller.kind === 'user' && req.caller.tenants.length !== 1
  if (tenantFrom === 'handler' && hasChoice) return
  req.tenant = await pathTenant(req, deps)
  authorize(req.caller, req.tenant, access)
}

/** Calls the function, or returns what the first call for the same credential returned. */
export type AskOnce = <T>(ask: () => Promise<T>) => Promise<T>

/** See `FastifyRequest.isStillAdmitted`. Only for routes whose access is an operation. */
export async function isStillAdmitted(
  req: GuardedRequest,
  authenticate: Authenticate,
  askOnce: AskOnce = (ask) => ask(),
): Promise<boolean> {
  const { access } = req.route.config
  const caller = await askOnce(() => authenticate(req))
  if (caller === undefined || access === undefined || !isOperation(access)) return false
  if (!isFromAllowedAddress(caller, req.clientIp)) return false
  const tenant = tenantOf(caller, requireTenant(req).orgId)
  if (tenant === undefined || tenant.locked) return false
  return refusalOf(caller, tenant, access) === undefined
}

/** PostgreSQL text cannot contain NUL, so no identifier does. */
function assertNoNul(req: GuardedRequest): void {
  if (req.url.includes('%00')) throw new Problem('invalid_request', 'The URL must not contain %00.')
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
  assertOneAuthorization(req)
  adoptLegacyKey(req, deps.legacyKeyHeaders)
  const caller = await deps.authenticate(req)
  if (caller !== undefined && !isFromAllowedAddress(caller, req.clientIp)) {
    throw new Problem('forbidden', `This API key cannot be used from ${req.clientIp}.`)
  }
  if (access === 'public') return caller ?? { kind: 'anonymous' }
  if (caller === undefined || caller.kind === 'anonymous') return rejectUnauthenticated(req, deps)
  return caller
}

function isFromAllowedAddress(caller: Caller, address: string): boolean {
  if (caller.kind !== 'key' || caller.allowedIps.length === 0) return true
  return containsAddress(caller.allowedIps, address)
}

async function rejectUnauthenticated(req: GuardedRequest, deps: GuardDeps): Promise<never> {
  const window = failureWindow(req.clientIp)
  const decision = await deps.rateLimits?.take(window, undefined, deps.clock.nowMs())
  if (decision?.allowed === false) throw rateLimited(decision)
  throw unauthorized()
}

/**
 * Applies the rules of the guard on routes whose organisation only the handler can determine. The
 * agent is that of the resource; without it, keys that are bound to an agent are refused.
 */
export function enterTenant(
  req: GuardedRequest,
  orgId: string | undefined,
  operation: Operation,
  agentId?: string | null,
): Tenant {
  const bound = boundAgentOf(req.caller)
  if (bound !== undefined && bound !== agentId) throw notForBoundKeys(bound)
  const tenant = selectTenant(req.caller, orgId ?? orgInHeader(req))
  authorize(req.caller, tenant, operation)
  assertFeature(req, tenant)
  req.tenant = tenant
  return tenant
}

function authorize(caller: Caller, tenant: Tenant, operation: Operation): void {
  if (tenant.needsSecondFactor) {
    throw new Problem(
      'second_factor_required',
      'This organisation requires a second factor. Set it up for your account first.',
    )
  }
  if (tenant.locked) {
    throw new Problem(
      'forbidden',
      'This organisation requires its members to use its single sign-on.',
    )
  }
  const refusal = refusalOf(caller, tenant, operation)
  if (refusal !== undefined) throw new Problem('forbidden', refusal)
}

function refusalOf(caller: Caller, { role }: Tenant, operation: Operation): string | undefined {
  if (caller.kind === 'key') return keyRefusal({ role, scopes: caller.scopes }, operation)
  return roleAllows(role, operation) ? undefined : `Your role (${role}) does not allow this.`
}

/** Whether the caller could perform another operation in the organisation of the request. */
export function canDo(req: GuardedRequest, operation: Operation): boolean {
  return !isImpersonated(req) && refusalOf(req.caller, requireTenant(req), operation) === undefined
}

function authorizeUser(caller: Caller, access: 'public' | 'user' | 'platform'): void {
  if (access === 'public') return
  if (caller.kind === 'key') {
    throw new Problem(
      'forbidden',
      'API keys are not allowed here. Sign in and use the session token.',
    )
  }
  if (access === 'user' || (caller.kind === 'user' && caller.isPlatformAdmin)) return
  throw new Problem('forbidden', 'Only platform administrators are allowed to do this.')
}

function assertAllowed(req: GuardedRequest): void {
  const { crossesOrgs, tenantFrom } = req.route.config
  if (crossesOrgs === true) assertNotConfined(req.caller)
  if (isImpersonated(req)) assertReadOnly(req)
  // Otherwise `enterTenant` checks the feature when the handler names the organisation.
  if (req.tenant !== undefined || tenantFrom !== 'handler') assertFeature(req, req.tenant)
}

function assertNotConfined(caller: Caller): void {
  if (caller.kind !== 'user' || caller.confinedTo === undefined) return
  throw new Problem(
    'forbidden',
    "You signed in through an organisation's identity provider, which gives access to that organisation only.",
  )
}

function isImpersonated(req: GuardedRequest): boolean {
  return req.caller.kind === 'user' && req.caller.impersonator !== undefined
}

function assertReadOnly(req: GuardedRequest): void {
  if (req.method === 'GET' || req.method === 'HEAD') return
  throw new Problem('forbidden', 'Impersonation is read-only.')
}

function assertFeature(req: GuardedRequest, tenant: Tenant | undefined): void {
  const { feature } = req.route.config
  if (feature === undefined || tenant?.entitlements.features.has(feature)) return
  const message = `The organisation's plan does not include ${feature}.`
  throw new Problem(feature === 'intelligence' ? 'feature_required' : 'forbidden', message)
}

/** The actor for records and the audit log. Throws on public routes without a credential. */
export function actorOf(req: GuardedRequest): Actor {
  const { caller } = req
  if (caller.kind === 'anonymous') throw new Error('an anonymous caller cannot be an actor')
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

/** The organisation of a route whose access is an operation. */
export function requireTenant(req: GuardedRequest): Tenant {
  if (req.tenant === undefined) throw new Error('the request has no organisation')
  return req.tenant
}

/** The user of a route whose access is `user` or `platform`. */
export function requireUser(req: GuardedRequest) {
  if (req.caller.kind !== 'user') throw new Error('the caller is not a signed-in user')
  return req.caller
}

/** Organisations whose private view of a public resource the caller is allowed to see. */
export function orgIdsOf(req: GuardedRequest): string[] {
  const { caller } = req
  if (caller.kind === 'key') return mayShowPrivate(req, caller) ? [caller.tenant.orgId] : []
  if (caller.kind === 'anonymous') return []
  return caller.tenants.filter((tenant) => !tenant.locked).map((tenant) => tenant.orgId)
}

/** The organisation that the caller named for the request, or else all of the caller's. */
export function memberOrgIds(req: GuardedRequest): string[] {
  const named = orgInHeader(req)
  if (named !== undefined) return [selectTenant(req.caller, named).orgId]
  const { caller } = req
  if (caller.kind === 'key') return [caller.tenant.orgId]
  return caller.kind === 'user' ? caller.tenants.map((tenant) => tenant.orgId) : []
}

function mayShowPrivate(req: GuardedRequest, caller: KeyCaller): boolean {
  if (caller.agentId !== null && caller.agentId !== pathParam(req, 'agent_id')) return false
  const { role } = caller.tenant
  const operation = req.route.config.showsAgentState ? 'containment.read' : 'agents.read'
  return keyRefusal({ role, scopes: caller.scopes }, operation) === undefined
}
