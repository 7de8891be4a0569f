import type { KeyClient, Role, Scope } from '../access.ts'
import { tenantOfIssuer } from '../areas/platform/identity/profile.ts'
import type { Authenticator } from '../http/identity/authenticate.ts'
import type { Entitlements, KeyCaller, Tenant, UserCaller } from '../http/identity/caller.ts'
import { createSharedCache } from '../kernel/cache.ts'
import { type Clock, SECOND_MS } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Notices } from '../kernel/notices.ts'

type Parts = {
  keys: {
    recognise(hash: string): Promise<Key | undefined>
  }
  identity: {
    sessionUser(token: string): Promise<SignedInUser | undefined>
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

type SignedInUser = Person & { sessionId: string | undefined }

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

/** The features again, for credentials that were admitted before. */
type StreamParts<StoredPerson> = Omit<Parts, 'keys' | 'identity'> & {
  keys: { recogniseAgain: Parts['keys']['recognise'] }
  identity: {
    sessionUser(token: string, find: FindPerson<StoredPerson>): Promise<SignedInUser | undefined>
    findPerson: FindPerson<StoredPerson>
    find: Parts['identity']['find']
  }
}

type FindPerson<StoredPerson> = (userId: string) => Promise<StoredPerson | undefined>

/** Published by triggers of the tables (migration 0090), with a user id or `*`. */
const STANDING_TOPIC = 'standing'
/** A notice invalidates an entry on every node at once; if one is lost, it expires after this. */
const STANDING_TTL_MS = 30 * SECOND_MS
const STANDING_ENTRIES_MAX = 10_000

/**
 * Judges the credentials of open streams: as strict as `createAuthenticator`, from caches, since there
 * may be thousands of streams and their credentials rarely change.
 */
export function createStreamAuthenticator<StoredPerson>(
  parts: StreamParts<StoredPerson>,
  { clock, notices }: { clock: Clock; notices: Notices },
): Authenticator {
  const limits = {
    clock,
    notices,
    topic: STANDING_TOPIC,
    entriesMax: STANDING_ENTRIES_MAX,
    ttlMs: STANDING_TTL_MS,
  }
  const people = createSharedCache<StoredPerson>(limits)
  const memberships = createSharedCache<Membership[]>(limits)
  const factors = createSharedCache<boolean>(limits)
  const { identity, orgs, accounts } = parts
  const find: FindPerson<StoredPerson> = async (userId) =>
    people.get(userId) ?? people.load(userId, () => identity.findPerson(userId))
  return createAuthenticator({
    ...parts,
    keys: { recognise: parts.keys.recogniseAgain },
    identity: {
      sessionUser: (token) => identity.sessionUser(token, find),
      find: identity.find,
    },
    orgs: {
      membershipsOf: async (userId) =>
        memberships.get(userId) ?? memberships.load(userId, () => orgs.membershipsOf(userId)),
    },
    accounts: {
      hasSecondFactor: async (userId) =>
        factors.get(userId) ?? factors.load(userId, () => accounts.hasSecondFactor(userId)),
    },
  })
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
