import type { Role, Scope } from '../access.ts'
import type { Authenticator } from '../http/identity/authenticate.ts'
import type { Entitlements, KeyCaller, Tenant, UserCaller } from '../http/identity/caller.ts'
import type { OrgId } from '../kernel/ids.ts'

type Parts = {
  keys: {
    recognise(hash: string): Promise<Key | undefined>
  }
  identity: {
    sessionUser(token: string): Promise<Person | undefined>
    find(userId: string): Promise<Person | undefined>
  }
  orgs: {
    membershipsOf(userId: string): Promise<{ orgId: OrgId; accountId: string; role: Role }[]>
  }
  plans: { entitlements(orgId: string): Promise<Entitlements> }
  sso: { enforcedOrgs(orgIds: readonly string[]): Promise<ReadonlySet<string>> }
  impersonation: {
    resolve(
      adminUserId: string,
      token: string,
    ): Promise<{ sessionId: string; targetUserId: string } | undefined>
  }
}

type Key = {
  keyId: string
  orgId: OrgId
  accountId: string
  role: Role
  scopes: readonly Scope[]
  createdBy: string
}

type Person = {
  userId: string
  email: string | null
  emailVerified: boolean
  isPlatformAdmin: boolean
  issuer: string
}

/** Puts together, from the features that know the parts, who a caller is. */
export function createAuthenticator(parts: Parts): Authenticator {
  const tenantsOf = async (person: Person): Promise<Tenant[]> => {
    const confinedTo = confinement(person)
    const memberships = (await parts.orgs.membershipsOf(person.userId)).filter(
      ({ orgId }) => confinedTo === undefined || orgId === confinedTo,
    )
    const enforced = await parts.sso.enforcedOrgs(memberships.map((m) => m.orgId))
    return Promise.all(
      memberships.map(async ({ orgId, accountId, role }) => ({
        orgId,
        accountId,
        role,
        entitlements: await parts.plans.entitlements(orgId),
        // spec: platform §4.3: single sign-on may be required of everybody but the owners.
        locked: enforced.has(orgId) && role !== 'owner' && confinedTo !== orgId,
      })),
    )
  }

  const toCaller = async (
    person: Person,
    impersonator: UserCaller['impersonator'],
  ): Promise<UserCaller> => ({
    kind: 'user',
    userId: person.userId,
    email: person.email,
    emailVerified: person.emailVerified,
    isPlatformAdmin: person.isPlatformAdmin,
    issuer: person.issuer,
    confinedTo: confinement(person),
    tenants: await tenantsOf(person),
    impersonator,
  })

  return {
    async key(hash) {
      const key = await parts.keys.recognise(hash)
      return key && toKeyCaller(key, await parts.plans.entitlements(key.orgId))
    },

    async session(token) {
      const person = await parts.identity.sessionUser(token)
      return person && toCaller(person, undefined)
    },

    async impersonate(admin, token) {
      if (!admin.isPlatformAdmin) return undefined
      const session = await parts.impersonation.resolve(admin.userId, token)
      const target = session && (await parts.identity.find(session.targetUserId))
      if (session === undefined || target === undefined) return undefined
      return toCaller(target, { sessionId: session.sessionId, userId: admin.userId })
    },
  }
}

function toKeyCaller(key: Key, entitlements: Entitlements): KeyCaller {
  const { orgId, accountId, role } = key
  return {
    kind: 'key',
    keyId: key.keyId,
    userId: key.createdBy,
    scopes: key.scopes,
    tenant: { orgId, accountId, role, entitlements, locked: false },
  }
}

/** spec: platform §4.3: whoever signs in by an organisation's own provider reaches only that organisation. */
function confinement(person: Person): string | undefined {
  return person.issuer.startsWith('saml:') ? person.issuer.slice('saml:'.length) : undefined
}
