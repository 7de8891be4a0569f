import { type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { newId, newToken, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { ACCESS_SECONDS, type KeyService } from './key-service.ts'
import type { People, Person } from './ports.ts'
import { judgeRefresh } from './refresh.ts'
import { createSessionStore, type Session } from './session-store.ts'

/** 04 §2.4. */
const REFRESH_DAYS = 30
/** 04 §7.3. */
const ENDED_KEPT_DAYS = 90
const REFRESH_TOKEN = /^tsr_[A-Za-z0-9_-]{43}$/

/** In the words of RFC 6749 §5.1, because every way of signing in answers just this. */
export type TokenSet = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  user: { user_id: string; email: string | null }
}

/** Where a request without a signed-in person came from. */
export type Origin = { ip: string; requestId: string }

export type SessionDeps = {
  db: Db
  clock: Clock
  audit: Audit
  people: People
  keys: KeyService
  /** When off, local accounts cannot prolong what they could not begin. */
  localIdp: boolean
}

export type SessionService = ReturnType<typeof createSessionService>

export function createSessionService(deps: SessionDeps) {
  const { clock } = deps

  /** Opens a family; the caller's transaction decides whether it comes to be. */
  const begin = async (tx: Db, userId: string): Promise<string> => {
    const createdAt = clock.now()
    const sessionId = newId('ses')
    const expiresAt = later(createdAt, REFRESH_DAYS * DAY_MS)
    await createSessionStore(tx).insert({ sessionId, userId, createdAt, expiresAt })
    return addToken(tx, sessionId, createdAt)
  }

  const finish = async (person: Person, refreshToken: string): Promise<TokenSet> => ({
    access_token: await deps.keys.accessToken(person),
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    refresh_token: refreshToken,
    user: { user_id: person.userId, email: person.email },
  })

  return {
    begin,
    finish,

    /** For features that have proved who it is in their own way, such as single sign-on. */
    async tokensFor(userId: string): Promise<TokenSet> {
      const person = await deps.people.find(userId)
      if (person === undefined) throw new Problem('not_found', 'No such person.')
      return finish(person, await transact(deps.db, (tx) => begin(tx, userId)))
    },

    async refresh(token: string, origin: Origin): Promise<TokenSet> {
      if (!REFRESH_TOKEN.test(token)) throw sessionOver()
      const next = await transact(deps.db, (tx) => rotate(deps, tx, token, origin))
      if (next === undefined) throw sessionOver()
      return finish(next.person, next.refreshToken)
    },

    /** Ends the family of the token, if it is one; the answer is the same either way. */
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

/** Returns nothing when refused: what a reused token caused must be committed, not thrown away. */
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
  const held = session && (await store.findToken(hash))
  if (session === undefined || held === undefined) return undefined
  const verdict = judgeRefresh(held, session, now)
  if (verdict === 'reused') await endReused(deps, tx, session, origin)
  if (verdict !== 'valid') return undefined
  const person = await deps.people.findIn(tx, session.userId)
  if (person === undefined || (person.issuer === 'local' && !deps.localIdp)) return undefined
  await store.markUsed(hash, now)
  return { person, refreshToken: await addToken(tx, session.sessionId, now) }
}

async function endReused(
  deps: SessionDeps,
  tx: Db,
  session: Session,
  origin: Origin,
): Promise<void> {
  await createSessionStore(tx).revoke(session.sessionId, deps.clock.now())
  await deps.audit.record(tx, {
    orgId: null,
    action: 'session.reuse_detected',
    // Nobody knows who showed the token; only where it came from.
    actor: { ...SYSTEM_ACTOR, ...origin },
    target: { type: 'user', id: session.userId },
    changes: { session: { from: session.sessionId, to: null } },
  })
}

function sessionOver(): Problem {
  return new Problem('unauthorized', 'The refresh token is not valid. Sign in again.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
