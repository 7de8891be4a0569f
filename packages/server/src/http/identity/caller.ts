import type { Feature, Role, Scope } from '../../access.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** What the caller's organisation may use, as its plan stands now. */
export type Entitlements = {
  planId: string
  features: ReadonlySet<Feature>
  requestsPerSecond: number
}

/** One organisation as this caller sees it. */
export type Tenant = {
  orgId: OrgId
  accountId: string
  role: Role
  entitlements: Entitlements
  /** The organisation insists on its own single sign-on and this session came another way. */
  locked: boolean
}

export type Anonymous = { kind: 'anonymous' }

export type KeyCaller = {
  kind: 'key'
  keyId: string
  /** Where a record names a user, a key counts as its creator (spec: platform §2.2). */
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
  /** An organisation whose own single sign-on vouches for the person: they reach only it. */
  confinedTo: string | undefined
  tenants: readonly Tenant[]
  impersonator: { sessionId: string; userId: string } | undefined
}

export type Caller = Anonymous | KeyCaller | UserCaller

export function tenantOf(caller: Caller, orgId: string): Tenant | undefined {
  if (caller.kind === 'key') return caller.tenant.orgId === orgId ? caller.tenant : undefined
  if (caller.kind === 'user') return caller.tenants.find((tenant) => tenant.orgId === orgId)
  return undefined
}
