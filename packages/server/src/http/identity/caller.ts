import type { Feature, KeyClient, Role, Scope } from '../../access.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** Features and limits of the organisation's current plan. */
export type Entitlements = {
  planId: string
  features: ReadonlySet<Feature>
  requestsPerSecond: number
}

/** An organisation with the caller's role in it. */
export type Tenant = {
  orgId: OrgId
  accountId: string
  role: Role
  entitlements: Entitlements
  /**
   * The caller cannot act here: the organisation requires its single sign-on or a second factor, and
   * this session was created without it.
   */
  locked: boolean
  /** Locked because the person has no second factor. */
  needsSecondFactor: boolean
}

export type Anonymous = { kind: 'anonymous' }

export type KeyCaller = {
  kind: 'key'
  keyId: string
  client: KeyClient
  /** False if the holder records decisions and does not stop calls. */
  enforces: boolean
  /** The only agent that the key can be used for; null for a key of the whole organisation. */
  agentId: string | null
  /** Ranges that the key can be used from, in CIDR notation; empty for any address. */
  allowedIps: readonly string[]
  /** The creator of the key, for records that name a user (spec: platform §2.2). */
  userId: string
  scopes: readonly Scope[]
  tenant: Tenant
}

export type UserCaller = {
  kind: 'user'
  userId: string
  email: string | null
  emailVerified: boolean
  isPlatformAdmin: boolean
  issuer: string
  /** The session of the token, if this service opened it and the person acts for themselves. */
  sessionId: string | undefined
  /** The organisation whose single sign-on created the session, which has access to no other. */
  confinedTo: string | undefined
  tenants: readonly Tenant[]
  impersonator: { sessionId: string; userId: string } | undefined
}

export type Caller = Anonymous | KeyCaller | UserCaller

/** The credential that sent a record: the key, or `user` for a session, which is a person's. */
export function senderOf(caller: Caller): string {
  return caller.kind === 'key' ? caller.keyId : 'user'
}

/** The only agent that the caller can act for, if its key is bound to one. */
export function boundAgentOf(caller: Caller): string | undefined {
  return caller.kind === 'key' ? (caller.agentId ?? undefined) : undefined
}

/**
 * Whether the resource belongs to an organisation of the caller and, for a key that is bound to an
 * agent, to that agent. Other resources get the same answer as missing ones (spec: platform §1.2).
 */
export function reaches(
  caller: Caller,
  resource: { orgId: string; agentId?: string | null },
): boolean {
  const agentId = boundAgentOf(caller)
  if (agentId !== undefined && agentId !== resource.agentId) return false
  return tenantOf(caller, resource.orgId) !== undefined
}

export function tenantOf(caller: Caller, orgId: string): Tenant | undefined {
  if (caller.kind === 'key') return caller.tenant.orgId === orgId ? caller.tenant : undefined
  if (caller.kind === 'user') return caller.tenants.find((tenant) => tenant.orgId === orgId)
  return undefined
}
