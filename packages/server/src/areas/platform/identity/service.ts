import { type Audit, personActor } from '../../../audit.ts'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { newId, tokenHash } from '../../../kernel/ids.ts'
import { SKEW_SECONDS, type TokenClaims } from './claims.ts'
import { createKeySets, type TrustedIssuer } from './issuer-client.ts'
import type { OwnKeys, OwnSessions } from './ports.ts'
import {
  isPlatformAdmin,
  mergeProfile,
  type Profile,
  type ProfileClaims,
  readProfile,
  sameProfile,
} from './profile.ts'
import { createIdentityStore, type IdentityStore, type Person } from './store.ts'
import { createTokenVerifier } from './verify-service.ts'

export type SessionUser = {
  userId: string
  email: string | null
  emailVerified: boolean
  name: string | null
  issuer: string
  isPlatformAdmin: boolean
}

/** The person of a session token, and the session if this service opened it. */
export type SignedInUser = SessionUser & { sessionId: string | undefined }

/** A person who signs in, as their provider describes them. */
export type Newcomer = {
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
  name: string | null
  /** The first local account of this installation. */
  isFirst?: boolean
  /** Origin of the request, for the platform's audit log. */
  origin?: Origin
}

type Origin = { ip: string | null; requestId: string | null }

const NO_ORIGIN: Origin = { ip: null, requestId: null }

export type IdentityDeps = {
  db: Db
  clock: Clock
  audit: Audit
  baseUrl: string
  oidcIssuers: readonly TrustedIssuer[]
  adminEmails: readonly string[]
  ownKeys: OwnKeys
  ownSessions: OwnSessions
  /** Called when an outside issuer cannot be reached. */
  onError(err: unknown): void
}

export type IdentityService = ReturnType<typeof createIdentityService>

/** A verification is cached this long, but never past the token's expiry. */
const VERIFIED_MS = MINUTE_MS
const VERIFIED_MAX = 10_000
/** The longest lifetime of a token, clock skew included, with a margin. */
const FORMER_MS = 25 * HOUR_MS

export function createIdentityService(deps: IdentityDeps) {
  const store = createIdentityStore(deps.db)
  return {
    sessionUser: createSessionLookup(deps),

    /** As stored; `sessionUser` can be given a cached version of this. */
    findPerson: store.find,

    findOrCreate: (tx: Db, newcomer: Newcomer): Promise<Person> => findOrCreate(deps, tx, newcomer),

    async find(userId: string): Promise<SessionUser | undefined> {
      const person = await store.find(userId)
      return person && toSessionUser(person, deps.adminEmails)
    },

    /** In the caller's transaction, such as that of a sign-up. */
    findIn: (tx: Db, userId: string): Promise<Person | undefined> =>
      createIdentityStore(tx).find(userId),

    emails: (db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> =>
      createIdentityStore(db).emails(userIds),

    /**
     * Shared lock that prevents the person's erasure until the transaction ends; false if erased.
     */
    hold: (tx: Db, userId: string): Promise<boolean> =>
      createIdentityStore(tx).lock(userId, 'shared'),

    /**
     * Exclusive lock before an erasure: waits for transactions that hold the person, blocks new
     * ones.
     */
    async lock(tx: Db, userId: string): Promise<void> {
      await createIdentityStore(tx).lock(userId, 'exclusive')
    },

    /** Erases everybody who signs in with the provider of an organisation that is erased. */
    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      const people = createIdentityStore(tx)
      for (const protocol of ['saml', 'oidc']) {
        const userIds = await people.idsOf(`${protocol}:${orgId}`)
        for (const userId of userIds) await erase(deps, tx, userId)
      }
    },

    /** User ids of all people of an issuer. */
    idsOf: (tx: Db, issuer: string): Promise<string[]> => createIdentityStore(tx).idsOf(issuer),

    /** Whether a local account has ever been created, even if it was deleted since. */
    hasFirst: (tx: Db): Promise<boolean> => createIdentityStore(tx).hasFirst(),

    /** Marks the address as verified, such as after a mailed reset token was used. */
    async confirmEmail(tx: Db, userId: string): Promise<void> {
      const people = createIdentityStore(tx)
      const person = await people.find(userId)
      if (person === undefined || person.emailVerified || person.email === null) return
      await people.setProfile(userId, { ...person, emailVerified: true }, deps.clock.now())
    },

    /** Erases everything but the opaque id; the person's tokens stop working immediately. */
    erase: (tx: Db, userId: string): Promise<void> => erase(deps, tx, userId),

    /** Deletes hashes of former identities when their last tokens have expired. */
    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) => createIdentityStore(tx).eraseFormerHashes(later(now, -FORMER_MS))),
  }
}

async function erase(deps: IdentityDeps, tx: Db, userId: string): Promise<void> {
  const people = createIdentityStore(tx)
  const identity = await people.subjectOf(userId)
  if (identity === undefined) return
  await people.erase(userId, identityHash(identity), deps.clock.now())
}

type Verified = {
  userId: string
  emailVerified: boolean
  expiresAt: number
  sessionId: string | undefined
}

/**
 * Finds the person of a token. The verification is cached; the person and the end of the session are
 * looked up each time, so that an erasure and a sign-out take effect immediately.
 */
function createSessionLookup(deps: IdentityDeps) {
  const { clock, onError } = deps
  const store = createIdentityStore(deps.db)
  const keySets = createKeySets({ clock, onError })
  const verifier = createTokenVerifier({
    clock,
    ownIssuer: deps.baseUrl,
    ownKeys: deps.ownKeys,
    issuers: deps.oidcIssuers,
    keySets,
  })
  const cache = createCache<Verified>({ clock, entriesMax: VERIFIED_MAX, ttlMs: VERIFIED_MS })

  const verify = async (token: string): Promise<Verified | undefined> => {
    const found = await verifier.verify(token)
    if (found === undefined) return undefined
    const { claims } = found
    const userId = found.isOwn ? claims.sub : await userIdOf(deps, store, claims)
    if (userId === undefined) return undefined
    // Our own tokens carry whether the address was verified when they were issued: a token issued
    // before that gains nothing when somebody else verifies the address later.
    const emailVerified = !found.isOwn || claims.raw['email_verified'] === true
    const expiresAt = claims.exp * SECOND_MS
    if (!found.isOwn) return { userId, emailVerified, expiresAt, sessionId: undefined }
    const { sid } = claims.raw
    // A token that names no session could not be ended.
    return typeof sid === 'string'
      ? { userId, emailVerified, expiresAt, sessionId: sid }
      : undefined
  }

  return async (token: string, find = store.find): Promise<SignedInUser | undefined> => {
    const key = tokenHash(token)
    const cached = cache.get(key)
    const isFresh = cached !== undefined && cached.expiresAt > clock.nowMs()
    const verified = isFresh ? cached : await verify(token)
    if (verified === undefined) return undefined
    if (!isFresh) cache.set(key, verified)
    const { userId, sessionId } = verified
    if (sessionId !== undefined && !(await deps.ownSessions.isLive(sessionId, userId))) {
      return undefined
    }
    const person = await find(userId)
    if (person === undefined) return undefined
    const emailVerified = person.emailVerified && verified.emailVerified
    return { ...toSessionUser({ ...person, emailVerified }, deps.adminEmails), sessionId }
  }
}

function toSessionUser(person: Person, adminEmails: readonly string[]): SessionUser {
  const { isFirst: _, ...fields } = person
  return { ...fields, isPlatformAdmin: isPlatformAdmin(person, adminEmails) }
}

/** The person of an outside token, created at the first sign-in and updated from its claims. */
async function userIdOf(
  deps: IdentityDeps,
  store: IdentityStore,
  claims: TokenClaims,
): Promise<string | undefined> {
  const identity = { issuer: claims.iss, subject: claims.sub }
  const profile = readProfile(claims.raw)
  if (await wasErasedSince(store, identity, claims.iat)) return undefined
  const known = await store.findByIdentity(identity.issuer, identity.subject)
  if (known !== undefined && sameProfile(known, mergeProfile(known, profile))) return known.userId
  return transact(deps.db, async (tx) => {
    if (await wasErasedSince(createIdentityStore(tx), identity, claims.iat)) return undefined
    const person = await createOrFind(deps, tx, {
      ...identity,
      ...mergeProfile(EMPTY_PROFILE, profile),
    })
    await updateProfile(deps, tx, person, profile)
    return person.userId
  })
}

const EMPTY_PROFILE: Profile = { email: null, emailVerified: false, name: null }

/** A token issued before its owner's erasure must not create the person again. */
async function wasErasedSince(
  store: IdentityStore,
  identity: { issuer: string; subject: string },
  issuedAt: number,
): Promise<boolean> {
  const erasedAt = await store.erasedAt(identityHash(identity))
  if (erasedAt === undefined) return false
  return issuedAt * SECOND_MS <= erasedAt.getTime() + SKEW_SECONDS * SECOND_MS
}

async function findOrCreate(deps: IdentityDeps, tx: Db, newcomer: Newcomer): Promise<Person> {
  const person = await createOrFind(deps, tx, newcomer)
  const { email, emailVerified, name } = newcomer
  return updateProfile(deps, tx, person, {
    emailVerified,
    ...(email === null ? {} : { email }),
    ...(name === null ? {} : { name }),
  })
}

async function createOrFind(deps: IdentityDeps, tx: Db, newcomer: Newcomer): Promise<Person> {
  const people = createIdentityStore(tx)
  const { origin, isFirst = false, ...identity } = newcomer
  const userId = newId('user')
  const person = { ...identity, userId, isFirst, email: newcomer.email?.toLowerCase() ?? null }
  if (await people.insert({ ...person, createdAt: deps.clock.now() })) {
    await deps.audit.record(tx, {
      orgId: null,
      action: 'user.created',
      actor: personActor(userId, origin ?? NO_ORIGIN),
      target: { type: 'user', id: userId },
      changes: { issuer: { from: null, to: newcomer.issuer } },
    })
  }
  const found = await people.findByIdentity(newcomer.issuer, newcomer.subject)
  if (found === undefined) throw new Error('the person just inserted was not found')
  return found
}

async function updateProfile(
  deps: IdentityDeps,
  tx: Db,
  person: Person,
  claims: ProfileClaims,
): Promise<Person> {
  const profile = mergeProfile(person, claims)
  if (sameProfile(person, profile)) return person
  await createIdentityStore(tx).setProfile(person.userId, profile, deps.clock.now())
  return { ...person, ...profile }
}

/** Prefixed with the length, so that no two pairs of issuer and subject give the same input. */
function identityHash(identity: { issuer: string; subject: string }): string {
  return tokenHash(`${identity.issuer.length} ${identity.issuer} ${identity.subject}`)
}
