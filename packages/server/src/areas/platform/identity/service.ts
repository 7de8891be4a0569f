import { type Audit, personActor } from '../../../audit.ts'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { newId, tokenHash } from '../../../kernel/ids.ts'
import { SKEW_SECONDS, type TokenClaims } from './claims.ts'
import { createKeySets, type TrustedIssuer } from './issuer-client.ts'
import type { OwnKeys } from './ports.ts'
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

/** Somebody signing in, as their provider describes them. */
export type Newcomer = {
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
  name: string | null
  /** The first local account of this installation. */
  isFirst?: boolean
  /** Where the request came from, for the platform log. */
  origin?: Origin
}

type Origin = { ip: string | null; requestId: string | null }

const NOWHERE: Origin = { ip: null, requestId: null }

export type IdentityDeps = {
  db: Db
  clock: Clock
  audit: Audit
  baseUrl: string
  oidcIssuers: readonly TrustedIssuer[]
  adminEmails: readonly string[]
  ownKeys: OwnKeys
  /** Told when an outside issuer cannot be reached. */
  onError(err: unknown): void
}

export type IdentityService = ReturnType<typeof createIdentityService>

/** A verified token is not verified again for this long, nor ever beyond its own end. */
const VERIFIED_MS = MINUTE_MS
const VERIFIED_MAX = 10_000
/** The longest a token can live, skew included, with a margin. */
const FORMER_MS = 25 * HOUR_MS

export function createIdentityService(deps: IdentityDeps) {
  const store = createIdentityStore(deps.db)
  return {
    sessionUser: createSessions(deps),

    findOrCreate: (tx: Db, newcomer: Newcomer): Promise<Person> => findOrCreate(deps, tx, newcomer),

    async find(userId: string): Promise<SessionUser | undefined> {
      const person = await store.find(userId)
      return person && toSessionUser(person, deps.adminEmails)
    },

    /** As part of a larger change, such as a sign-up that is not committed yet. */
    findIn: (tx: Db, userId: string): Promise<Person | undefined> =>
      createIdentityStore(tx).find(userId),

    emails: (db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> =>
      createIdentityStore(db).emails(userIds),

    /** Keeps the person from being erased until the transaction ends; false when they are gone. */
    hold: (tx: Db, userId: string): Promise<boolean> =>
      createIdentityStore(tx).hold(userId, 'shared'),

    /** Before erasing: whoever holds the person finishes first, and nobody begins anew. */
    async lock(tx: Db, userId: string): Promise<void> {
      await createIdentityStore(tx).hold(userId, 'alone')
    },

    /** With the organisation: everybody only its own provider vouched for. */
    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      for (const userId of await createIdentityStore(tx).idsOf(`saml:${orgId}`))
        await erase(deps, tx, userId)
    },

    /** Everybody one issuer vouches for. */
    idsOf: (tx: Db, issuer: string): Promise<string[]> => createIdentityStore(tx).idsOf(issuer),

    /** Whether there has ever been a local account. */
    hasFirst: (tx: Db): Promise<boolean> => createIdentityStore(tx).hasFirst(),

    /** After the address was proved, such as by a mailed link. */
    async confirmEmail(tx: Db, userId: string): Promise<void> {
      const people = createIdentityStore(tx)
      const person = await people.find(userId)
      if (person === undefined || person.emailVerified || person.email === null) return
      await people.setProfile(userId, { ...person, emailVerified: true }, deps.clock.now())
    },

    /** Removes everything but the opaque id; tokens of the person stop working at once. */
    erase: (tx: Db, userId: string): Promise<void> => erase(deps, tx, userId),

    /** Forgets former identities once their last tokens are over. */
    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) => createIdentityStore(tx).forgetFormer(later(now, -FORMER_MS))),
  }
}

async function erase(deps: IdentityDeps, tx: Db, userId: string): Promise<void> {
  const people = createIdentityStore(tx)
  const identity = await people.subjectOf(userId)
  if (identity === undefined) return
  await people.erase(userId, identityHash(identity), deps.clock.now())
}

type Verified = { userId: string; emailVerified: boolean; expiresAt: number }

/** From a token to the person, who is read afresh each time: an erased one is gone at once. */
function createSessions(deps: IdentityDeps) {
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
    const userId = found.own ? claims.sub : await userIdOf(deps, store, claims)
    if (userId === undefined) return undefined
    // Our tokens say what was proved when they were issued: one handed out before an address was
    // proved gains nothing when somebody else proves it later.
    const emailVerified = !found.own || claims.raw['email_verified'] === true
    return { userId, emailVerified, expiresAt: claims.exp * SECOND_MS }
  }

  return async (token: string): Promise<SessionUser | undefined> => {
    const key = tokenHash(token)
    const kept = cache.get(key)
    const fresh = kept !== undefined && kept.expiresAt > clock.nowMs()
    const verified = fresh ? kept : await verify(token)
    if (verified === undefined) return undefined
    if (!fresh) cache.set(key, verified)
    const person = await store.find(verified.userId)
    if (person === undefined) return undefined
    const emailVerified = person.emailVerified && verified.emailVerified
    return toSessionUser({ ...person, emailVerified }, deps.adminEmails)
  }
}

function toSessionUser(person: Person, adminEmails: readonly string[]): SessionUser {
  const { isFirst: _, ...known } = person
  return { ...known, isPlatformAdmin: isPlatformAdmin(person, adminEmails) }
}

/** The person an outside token speaks of, made at first sight and kept up to date. */
async function userIdOf(
  deps: IdentityDeps,
  store: IdentityStore,
  claims: TokenClaims,
): Promise<string | undefined> {
  const identity = { issuer: claims.iss, subject: claims.sub }
  const says = readProfile(claims.raw)
  if (await wasErasedSince(store, identity, claims.iat)) return undefined
  const known = await store.findByIdentity(identity.issuer, identity.subject)
  if (known !== undefined && sameProfile(known, mergeProfile(known, says))) return known.userId
  return transact(deps.db, async (tx) => {
    if (await wasErasedSince(createIdentityStore(tx), identity, claims.iat)) return undefined
    const person = await createOrFind(deps, tx, { ...identity, ...mergeProfile(NOBODY, says) })
    await updateProfile(deps, tx, person, says)
    return person.userId
  })
}

const NOBODY: Profile = { email: null, emailVerified: false, name: null }

/** A token older than its owner's erasure must not bring the person back. */
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
      actor: personActor(userId, origin ?? NOWHERE),
      target: { type: 'user', id: userId },
      changes: { issuer: { from: null, to: newcomer.issuer } },
    })
  }
  const found = await people.findByIdentity(newcomer.issuer, newcomer.subject)
  if (found === undefined) throw new Error('a person just written is not there')
  return found
}

async function updateProfile(
  deps: IdentityDeps,
  tx: Db,
  person: Person,
  says: ProfileClaims,
): Promise<Person> {
  const profile = mergeProfile(person, says)
  if (sameProfile(person, profile)) return person
  await createIdentityStore(tx).setProfile(person.userId, profile, deps.clock.now())
  return { ...person, ...profile }
}

/** Lengths first, so that no two identities share a hash. */
function identityHash(identity: { issuer: string; subject: string }): string {
  return tokenHash(`${identity.issuer.length} ${identity.issuer} ${identity.subject}`)
}
