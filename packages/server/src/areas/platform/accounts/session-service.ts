import { type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { newId, newToken, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { ACCESS_SECONDS, type KeyService } from './key-service.ts'
import type { People, Person } from './ports.ts'
import { judgeRefresh } from './refresh.ts'
import { createSessionStore, type Session } from './session-store.ts'

/** spec: platform §2.4. */
const REFRESH_DAYS = 30
/** spec: platform §6.3. */
const ENDED_KEPT_DAYS = 90
const REFRESH_TOKEN = /^tsr_[A-Za-z0-9_-]{43}$/

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

export type SessionDeps = {
  db: Db
  clock: Clock
  audit: Audit
  people: People
  keys: KeyService
  /** If off, local accounts can neither sign in nor refresh an existing session. */
  localIdp: boolean
}

export type SessionService = ReturnType<typeof createSessionService>

export function createSessionService(deps: SessionDeps) {
  const { clock } = deps

  /** Creates a session in the caller's transaction and returns its first refresh token. */
  const start = async (tx: Db, userId: string): Promise<string> => {
    const createdAt = clock.now()
    const sessionId = newId('ses')
    const expiresAt = later(createdAt, REFRESH_DAYS * DAY_MS)
    await createSessionStore(tx).insert({ sessionId, userId, createdAt, expiresAt })
    return addToken(tx, sessionId, createdAt)
  }

  const createTokenSet = async (person: Person, refreshToken: string): Promise<TokenSet> => ({
    access_token: await deps.keys.accessToken(person),
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    refresh_token: refreshToken,
    user: { user_id: person.userId, email: person.email },
  })

  return {
    start,
    createTokenSet,

    /** For features that authenticate a person themselves, such as single sign-on. */
    async tokensFor(userId: string): Promise<TokenSet> {
      const person = await deps.people.find(userId)
      if (person === undefined) throw new Problem('not_found', 'No such person.')
      return createTokenSet(person, await transact(deps.db, (tx) => start(tx, userId)))
    },

    async refresh(token: string, origin: Origin): Promise<TokenSet> {
      if (!REFRESH_TOKEN.test(token)) throw invalidRefreshToken()
      const next = await transact(deps.db, (tx) => rotate(deps, tx, token, origin))
      if (next === undefined) throw invalidRefreshToken()
      return createTokenSet(next.person, next.refreshToken)
    },

    /**
     * Revokes the token's session, if there is one. Gives no sign of whether the token was valid.
     */
    async logout(token: string): Promise<void> {
      await transact(deps.db, async (tx) => {
        const store = createSessionStore(tx)
        const sessionId = await store.findSessionId(tokenHash(token))
        if (sessionId !== undefined) await store.revoke(sessionId, clock.now())
      })
    },

    revokeAll: (tx: Db, userId: string): Promise<void> =>
      createSessionStore(tx).revokeOfUser(userId, clock.now()),

    async purgeSessions(now: Date): Promise<number> {
      const store = createSessionStore(deps.db)
      const end = later(now, -ENDED_KEPT_DAYS * DAY_MS)
      const sessions = await purgeInPages((rowsMax) => store.deleteEndedBefore(end, rowsMax))
      const tokens = await purgeInPages((max) => store.deleteUsedTokensEndedBefore(now, max))
      return sessions + tokens
    },
  }
}

async function addToken(tx: Db, sessionId: string, createdAt: Date): Promise<string> {
  const token = newToken('tsr_')
  const expiresAt = later(createdAt, REFRESH_DAYS * DAY_MS)
  const hash = tokenHash(token)
  await createSessionStore(tx).insertToken({ tokenHash: hash, sessionId, createdAt, expiresAt })
  return token
}

/**
 * Returns `undefined` instead of throwing when the token is refused: the revocation that a reused
 * token causes must be committed, and an exception would roll it back.
 */
async function rotate(
  deps: SessionDeps,
  tx: Db,
  token: string,
  origin: Origin,
): Promise<{ person: Person; refreshToken: string } | undefined> {
  const store = createSessionStore(tx)
  const now = deps.clock.now()
  const hash = tokenHash(token)
  const sessionId = await store.findSessionId(hash)
  const session = sessionId === undefined ? undefined : await store.lock(sessionId)
  const stored = session && (await store.findToken(hash))
  if (session === undefined || stored === undefined) return undefined
  const verdict = judgeRefresh(stored, session, now)
  if (verdict === 'reused') await revokeAfterReuse(deps, tx, session, origin)
  if (verdict !== 'valid') return undefined
  const person = await deps.people.findIn(tx, session.userId)
  if (person === undefined || (person.issuer === 'local' && !deps.localIdp)) return undefined
  await store.markUsed(hash, now)
  return { person, refreshToken: await addToken(tx, session.sessionId, now) }
}

async function revokeAfterReuse(
  deps: SessionDeps,
  tx: Db,
  session: Session,
  origin: Origin,
): Promise<void> {
  await createSessionStore(tx).revoke(session.sessionId, deps.clock.now())
  await deps.audit.record(tx, {
    orgId: null,
    action: 'session.reuse_detected',
    // The presenter of the token is unknown; only the origin of the request is recorded.
    actor: { ...SYSTEM_ACTOR, ...origin },
    target: { type: 'user', id: session.userId },
    changes: { session: { from: session.sessionId, to: null } },
  })
}

function invalidRefreshToken(): Problem {
  return new Problem('unauthorized', 'The refresh token is not valid. Sign in again.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
