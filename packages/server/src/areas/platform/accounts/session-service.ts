import { type Actor, type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { newId, newToken, tokenHash } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { ACCESS_SECONDS, type KeyService } from './key-service.ts'
import type { People, Person } from './ports.ts'
import { judgeRefresh } from './refresh.ts'
import { BROWSER_TOKEN, SESSION_DAYS } from './session-cookie.ts'
import { createSessionStore, type Session, type SessionView } from './session-store.ts'

/** spec: platform §6.3. */
const ENDED_KEPT_DAYS = 90
/** A notice ends a session on every node at once; if one is lost, the entry expires after this. */
const CACHE_TTL_MS = 30 * SECOND_MS
const CACHE_ENTRIES_MAX = 10_000
const TOPIC = 'session'
/** More sessions than this are announced with one notice. */
const NOTICES_MAX = 100
/** The last use is written at most this often per session. */
const TOUCH_EVERY_MS = MINUTE_MS
const LISTED_MAX = 200
const REFRESH_TOKEN = /^tsr_[A-Za-z0-9_-]{43}$/
type TokenPrefix = 'tsr_' | 'tsb_'

/** Field names of RFC 6749 §5.1, because every sign-in route returns this object as it is. */
export type TokenSet = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  user: { user_id: string; email: string | null }
}

/** Origin of a request that has no signed-in person. */
export type Origin = { ip: string; requestId: string }

/** The client that signs in. */
export type Device = {
  origin: Origin
  /** The address, or the network that a customer of IPv6 has, for counting attempts. */
  network: string
  userAgent: string | null
}

/** A new session: its id goes into access tokens. */
export type StartedSession = { sessionId: string; refreshToken: string }

export type SessionDeps = {
  db: Db
  clock: Clock
  audit: Audit
  notices: Notices
  people: People
  keys: KeyService
  /** If off, local accounts can neither sign in nor refresh an existing session. */
  localIdp: boolean
}

export type SessionService = ReturnType<typeof createSessionService>

export function createSessionService(deps: SessionDeps) {
  const { clock } = deps
  const store = createSessionStore(deps.db)
  /** The owners of sessions that have not ended, by session. */
  const live = createSharedCache<string>({
    clock,
    notices: deps.notices,
    topic: TOPIC,
    entriesMax: CACHE_ENTRIES_MAX,
    ttlMs: CACHE_TTL_MS,
  })

  /** Creates a session in the caller's transaction. */
  const start = async (tx: Db, userId: string, device: Device): Promise<StartedSession> => {
    const createdAt = clock.now()
    const sessionId = newId('ses')
    const expiresAt = later(createdAt, SESSION_DAYS * DAY_MS)
    const client = clientOf(device)
    await createSessionStore(tx).insert({ sessionId, userId, createdAt, expiresAt, client })
    return { sessionId, refreshToken: await addToken(tx, { sessionId, createdAt, prefix: 'tsr_' }) }
  }

  const createTokenSet = async (
    person: Person,
    { sessionId, refreshToken }: StartedSession,
  ): Promise<TokenSet> => ({
    access_token: await deps.keys.accessToken({ ...person, sessionId }),
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    refresh_token: refreshToken,
    user: { user_id: person.userId, email: person.email },
  })

  const announceEnd = async (tx: Db, sessionIds: readonly string[]): Promise<void> => {
    if (sessionIds.length > NOTICES_MAX) return live.invalidateAll(tx)
    for (const sessionId of sessionIds) await live.invalidate(tx, sessionId)
  }

  /** Ends all sessions of a person in the caller's transaction; returns the ids of those ended. */
  const revokeAll = async (tx: Db, userId: string, exceptId?: string): Promise<string[]> => {
    const ended = await createSessionStore(tx).revokeOfUser(userId, clock.now(), exceptId)
    await announceEnd(tx, ended)
    return ended
  }

  const evictAll = (sessionIds: readonly string[]): void => {
    for (const sessionId of sessionIds) live.evict(sessionId)
  }

  /** Exchanges a single-use token for new tokens. */
  const replace = async (token: string, prefix: TokenPrefix, device: Device): Promise<TokenSet> => {
    if (!REFRESH_TOKEN.test(token)) throw invalidRefreshToken()
    const next = await transact(deps.db, (tx) => rotate(deps, tx, { token, prefix, device }))
    if (next === undefined) throw invalidRefreshToken()
    if ('reused' in next) {
      live.evict(next.reused)
      throw invalidRefreshToken()
    }
    return createTokenSet(next.person, next)
  }

  return {
    start,
    createTokenSet,
    revokeAll,
    /** For this node, after the transaction of `revokeAll` has committed. */
    evictAll,

    /** Whether the session of an access token has not ended; usually cached. */
    async isLive(sessionId: string, userId: string): Promise<boolean> {
      const cached = live.get(sessionId)
      if (cached !== undefined) return cached === userId
      const owner = await live.load(sessionId, async () => {
        const now = clock.now()
        const found = await store.findLive(sessionId, now)
        if (found === undefined) return undefined
        const unusedMs = now.getTime() - found.lastUsedAt.getTime()
        if (unusedMs >= TOUCH_EVERY_MS) await store.touch(sessionId, now)
        return found.userId
      })
      return owner === userId
    },

    /** For features that authenticate a person themselves, such as single sign-on. */
    async tokensFor(userId: string, device: Device): Promise<TokenSet> {
      const person = await deps.people.find(userId)
      if (person === undefined) throw new Problem('not_found', 'No such person.')
      return createTokenSet(person, await transact(deps.db, (tx) => start(tx, userId, device)))
    },

    refresh: (token: string, device: Device): Promise<TokenSet> => replace(token, 'tsr_', device),

    /** Moves a session into a browser: the new refresh token is for a cookie. */
    startInBrowser: (token: string, device: Device): Promise<TokenSet> =>
      replace(token, 'tsb_', device),

    /**
     * Extends a session in a browser. The token stays the same, because tabs share it, and because no
     * script can read it (ADR 0067).
     */
    async renewInBrowser(token: string, device: Device): Promise<TokenSet> {
      const renewed = BROWSER_TOKEN.test(token)
        ? await transact(deps.db, (tx) => extend(deps, tx, token, device))
        : undefined
      if (renewed === undefined) throw invalidRefreshToken()
      return createTokenSet(renewed.person, renewed)
    },

    /**
     * Ends the token's session, if there is one. Gives no sign of whether the token was valid.
     */
    async logout(token: string): Promise<void> {
      const ended = await transact(deps.db, async (tx) => {
        const sessions = createSessionStore(tx)
        const sessionId = await sessions.findSessionId(tokenHash(token))
        if (sessionId === undefined) return undefined
        if (await sessions.revoke({ sessionId }, clock.now())) await announceEnd(tx, [sessionId])
        return sessionId
      })
      if (ended !== undefined) live.evict(ended)
    },

    list: (userId: string): Promise<SessionView[]> =>
      store.listLive(userId, clock.now(), LISTED_MAX),

    async end(actor: Actor, sessionId: string): Promise<void> {
      await transact(deps.db, async (tx) => {
        const session = { sessionId, userId: actor.userId }
        if (!(await createSessionStore(tx).revoke(session, clock.now()))) throw noSession()
        await announceEnd(tx, [sessionId])
        await recordEnd(deps, tx, actor, { type: 'session', id: sessionId })
      })
      live.evict(sessionId)
    },

    /** Signs out everywhere; returns how many sessions ended. */
    async endAll(actor: Actor): Promise<number> {
      const ended = await transact(deps.db, async (tx) => {
        const ids = await revokeAll(tx, actor.userId)
        await recordEnd(deps, tx, actor, { type: 'user', id: actor.userId })
        return ids
      })
      evictAll(ended)
      return ended.length
    },

    forgetClients: (tx: Db, userId: string): Promise<void> =>
      createSessionStore(tx).forgetClients(userId),

    async purgeSessions(now: Date): Promise<number> {
      const end = later(now, -ENDED_KEPT_DAYS * DAY_MS)
      const sessions = await purgeInPages((rowsMax) => store.deleteEndedBefore(end, rowsMax))
      const tokens = await purgeInPages((max) => store.deleteUsedTokensEndedBefore(now, max))
      return sessions + tokens
    },
  }
}

async function addToken(
  tx: Db,
  { sessionId, createdAt, prefix }: { sessionId: string; createdAt: Date; prefix: TokenPrefix },
): Promise<string> {
  const token = newToken(prefix)
  const expiresAt = later(createdAt, SESSION_DAYS * DAY_MS)
  const hash = tokenHash(token)
  await createSessionStore(tx).insertToken({ tokenHash: hash, sessionId, createdAt, expiresAt })
  return token
}

/** Locks the session of a token and judges the token. */
async function present(tx: Db, token: string, now: Date) {
  const store = createSessionStore(tx)
  const hash = tokenHash(token)
  const sessionId = await store.findSessionId(hash)
  const session = sessionId === undefined ? undefined : await store.lock(sessionId)
  const stored = session && (await store.findToken(hash))
  if (session === undefined || stored === undefined) return undefined
  return { hash, session, verdict: judgeRefresh(stored, session, now) }
}

/** The owner of a session, who may still sign in. */
async function ownerOf(deps: SessionDeps, tx: Db, session: Session): Promise<Person | undefined> {
  const person = await deps.people.findIn(tx, session.userId)
  return person?.issuer === 'local' && !deps.localIdp ? undefined : person
}

/**
 * Returns `undefined` instead of throwing when the token is refused: the revocation that a reused
 * token causes must be committed, and an exception would roll it back.
 */
async function rotate(
  deps: SessionDeps,
  tx: Db,
  { token, prefix, device }: { token: string; prefix: TokenPrefix; device: Device },
): Promise<({ person: Person } & StartedSession) | { reused: string } | undefined> {
  const store = createSessionStore(tx)
  const now = deps.clock.now()
  const presented = await present(tx, token, now)
  if (presented === undefined) return undefined
  const { hash, session, verdict } = presented
  const { sessionId } = session
  if (verdict === 'reused') {
    await revokeAfterReuse(deps, tx, session, device.origin)
    return { reused: sessionId }
  }
  const person = verdict === 'valid' ? await ownerOf(deps, tx, session) : undefined
  if (person === undefined) return undefined
  await store.markUsed(hash, now)
  await store.touch(sessionId, now, clientOf(device))
  const refreshToken = await addToken(tx, { sessionId, createdAt: now, prefix })
  return { person, sessionId, refreshToken }
}

async function extend(
  deps: SessionDeps,
  tx: Db,
  token: string,
  device: Device,
): Promise<({ person: Person } & StartedSession) | undefined> {
  const store = createSessionStore(tx)
  const now = deps.clock.now()
  const presented = await present(tx, token, now)
  if (presented?.verdict !== 'valid') return undefined
  const { hash, session } = presented
  const { sessionId } = session
  const person = await ownerOf(deps, tx, session)
  if (person === undefined) return undefined
  await store.extend(hash, sessionId, later(now, SESSION_DAYS * DAY_MS))
  await store.touch(sessionId, now, clientOf(device))
  return { person, sessionId, refreshToken: token }
}

function clientOf({ userAgent, origin }: Device) {
  return { userAgent, address: origin.ip }
}

async function revokeAfterReuse(
  deps: SessionDeps,
  tx: Db,
  { sessionId, userId }: Session,
  origin: Origin,
): Promise<void> {
  await createSessionStore(tx).revoke({ sessionId }, deps.clock.now())
  await deps.notices.publish(tx, TOPIC, sessionId)
  await deps.audit.record(tx, {
    orgId: null,
    action: 'session.reuse_detected',
    // The presenter of the token is unknown; only the origin of the request is recorded.
    actor: { ...SYSTEM_ACTOR, ...origin },
    target: { type: 'user', id: userId },
    changes: { session: { from: sessionId, to: null } },
  })
}

function recordEnd(
  deps: SessionDeps,
  tx: Db,
  actor: Actor,
  target: { type: 'session' | 'user'; id: string },
): Promise<void> {
  const action = target.type === 'session' ? 'session.ended' : 'sessions.ended'
  return deps.audit.record(tx, { orgId: null, action, actor, target })
}

function noSession(): Problem {
  return new Problem('not_found', 'You have no such session, or it has ended already.')
}

function invalidRefreshToken(): Problem {
  return new Problem('unauthorized', 'The refresh token is not valid. Sign in again.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
