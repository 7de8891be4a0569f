import type { KeyClient, Role, Scope } from '../access.ts'
import { tenantOfIssuer } from '../areas/platform/identity/profile.ts'
import type { Authenticator } from '../http/identity/authenticate.ts'
import type { Entitlements, KeyCaller, Tenant, UserCaller } from '../http/identity/caller.ts'
import type { OrgId } from '../kernel/ids.ts'

type Parts = {
  keys: {
    recognise(hash: string): Promise<Key | undefined>
  }
  identity: {
    sessionUser(token: string): Promise<(Person & { sessionId: string | undefined }) | undefined>
    find(userId: string): Promise<Person | undefined>
  }
  orgs: {
    membershipsOf(userId: string): Promise<Membership[]>
  }
  accounts: { hasSecondFactor(userId: string): Promise<boolean> }
  plans: { entitlements(orgId: string): Promise<Entitlements> }
  sso: { enforcedOrgs(orgIds: readonly string[]): Promise<ReadonlySet<string>> }
  impersonation: {
    resolve(
      adminUserId: string,
      token: string,
    ): Promise<{ sessionId: string; targetUserId: string } | undefined>
  }
}

type Membership = { orgId: OrgId; accountId: string; role: Role; requiresSecondFactor: boolean }

type Key = {
  keyId: string
  orgId: OrgId
  accountId: string
  role: Role
  scopes: readonly Scope[]
  createdBy: string
  client: KeyClient
  mode: 'enforce' | 'observe'
  agentId: string | null
  allowedIps: readonly string[]
}

type Person = {
  userId: string
  email: string | null
  emailVerified: boolean
  isPlatformAdmin: boolean
  issuer: string
}

/** Builds the caller of a credential from the features that own its parts. */
export function createAuthenticator(parts: Parts): Authenticator {
  const tenantsOf = async (person: Person): Promise<Tenant[]> => {
    const confinedTo = tenantOfIssuer(person.issuer)
    const memberships = (await parts.orgs.membershipsOf(person.userId)).filter(
      ({ orgId }) => confinedTo === undefined || orgId === confinedTo,
    )
    const enforced = await parts.sso.enforcedOrgs(memberships.map((m) => m.orgId))
    const isUnprotected =
      memberships.some((m) => m.requiresSecondFactor) && (await lacksSecondFactor(person))
    return Promise.all(
      memberships.map(async ({ orgId, accountId, role, requiresSecondFactor }) => {
        const needsSecondFactor = requiresSecondFactor && isUnprotected
        // Required single sign-on does not apply to owners (spec: platform §4.3).
        const needsSso = enforced.has(orgId) && role !== 'owner' && confinedTo !== orgId
        return {
          orgId,
          accountId,
          role,
          entitlements: await parts.plans.entitlements(orgId),
          locked: needsSso || needsSecondFactor,
          needsSecondFactor,
        }
      }),
    )
  }

  /** Other identity providers ask for their own second factor. */
  const lacksSecondFactor = async (person: Person): Promise<boolean> =>
    person.issuer === 'local' && !(await parts.accounts.hasSecondFactor(person.userId))

  const toCaller = async (
    person: Person,
    session: Pick<UserCaller, 'sessionId' | 'impersonator'>,
  ): Promise<UserCaller> => ({
    kind: 'user',
    userId: person.userId,
    email: person.email,
    emailVerified: person.emailVerified,
    isPlatformAdmin: person.isPlatformAdmin,
    issuer: person.issuer,
    confinedTo: tenantOfIssuer(person.issuer),
    tenants: await tenantsOf(person),
    sessionId: session.sessionId,
    impersonator: session.impersonator,
  })

  return {
    async key(hash) {
      const key = await parts.keys.recognise(hash)
      return key && toKeyCaller(key, await parts.plans.entitlements(key.orgId))
    },

    async session(token) {
      const person = await parts.identity.sessionUser(token)
      return person && toCaller(person, { sessionId: person.sessionId, impersonator: undefined })
    },

    async impersonate(admin, token) {
      if (!admin.isPlatformAdmin) return undefined
      const session = await parts.impersonation.resolve(admin.userId, token)
      const target = session && (await parts.identity.find(session.targetUserId))
      if (session === undefined || target === undefined) return undefined
      const impersonator = { sessionId: session.sessionId, userId: admin.userId }
      return toCaller(target, { sessionId: undefined, impersonator })
    },
  }
}

function toKeyCaller(key: Key, entitlements: Entitlements): KeyCaller {
  const { orgId, accountId, role } = key
  return {
    kind: 'key',
    keyId: key.keyId,
    client: key.client,
    enforces: key.mode === 'enforce',
    agentId: key.agentId,
    allowedIps: key.allowedIps,
    userId: key.createdBy,
    scopes: key.scopes,
    tenant: { orgId, accountId, role, entitlements, locked: false, needsSecondFactor: false },
  }
}
