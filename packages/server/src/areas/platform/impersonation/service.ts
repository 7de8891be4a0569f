import { randomBytes } from 'node:crypto'
import type { Actor, Audit, Changes } from '../../../audit.ts'
import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Memberships, People } from './ports.ts'
import { isOver, isWellFormedToken, loggedPath, opens, type Session } from './session.ts'
import { createImpersonationStore } from './store.ts'

/** 04 §4.5. */
const SESSION_MS = HOUR_MS
/** 04 §7.3: ended sessions are kept this long. */
const KEPT_DAYS = 90

export type SessionView = { session: Session; targetEmail: string | null }

export type ImpersonationDeps = {
  db: Db
  clock: Clock
  audit: Audit
  people: People
  memberships: Memberships
}

export type ImpersonationService = ReturnType<typeof createImpersonationService>

export function createImpersonationService(deps: ImpersonationDeps) {
  return { ...sessions(deps), ...requests(deps) }
}

function sessions(deps: ImpersonationDeps) {
  return {
    /** The token is told this once; only its hash is kept. */
    async start(input: {
      actor: Actor
      targetUserId: string
      reason: string
    }): Promise<SessionView & { token: string }> {
      const target = await deps.people.find(input.targetUserId)
      if (target === undefined) throw new Problem('not_found', 'No such user.')
      if (target.isPlatformAdmin) {
        throw new Problem('forbidden', 'A platform administrator cannot be impersonated.')
      }
      const token = randomBytes(32).toString('hex')
      const startedAt = deps.clock.now()
      const session: Session = {
        sessionId: newId('ais'),
        adminUserId: input.actor.userId,
        targetUserId: target.userId,
        reason: input.reason,
        tokenHash: tokenHash(token),
        startedAt,
        expiresAt: later(startedAt, SESSION_MS),
        endedAt: null,
      }
      const tell = await createTeller(deps, target.userId)
      await transact(deps.db, async (tx) => {
        await createImpersonationStore(tx).insert(session)
        await tell(tx, {
          action: 'impersonation.started',
          actor: input.actor,
          sessionId: session.sessionId,
          changes: {
            target_user_id: { from: null, to: target.userId },
            reason: { from: null, to: input.reason },
          },
        })
      })
      return { session, token, targetEmail: target.email }
    },

    /** Any administrator may look; a session that is over is gone. */
    async get(sessionId: string): Promise<SessionView> {
      const session = await createImpersonationStore(deps.db).find(sessionId)
      if (session === undefined) throw noSession()
      if (isOver(session, deps.clock.now())) throw gone()
      const target = await deps.people.find(session.targetUserId)
      return { session, targetEmail: target?.email ?? null }
    },

    async end(sessionId: string, actor: Actor): Promise<void> {
      const found = await createImpersonationStore(deps.db).find(sessionId)
      if (found === undefined) throw noSession()
      const tell = await createTeller(deps, found.targetUserId)
      await transact(deps.db, async (tx) => {
        const store = createImpersonationStore(tx)
        const session = await store.lock(sessionId)
        if (session === undefined) throw noSession()
        if (session.adminUserId !== actor.userId) {
          throw new Problem('forbidden', 'Only the administrator who started a session may end it.')
        }
        const now = deps.clock.now()
        if (isOver(session, now)) throw gone()
        await store.end(sessionId, now)
        await tell(tx, { action: 'impersonation.ended', actor, sessionId })
      })
    },

    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) =>
        createImpersonationStore(tx).deleteOverBefore(later(now, -KEPT_DAYS * DAY_MS)),
      ),
  }
}

function requests(deps: ImpersonationDeps) {
  return {
    /**
     * Whom this administrator may be with this token. Both people are looked at anew, so that a
     * session ends with its administrator's rights, and when its target becomes an administrator.
     */
    async resolve(
      adminUserId: string,
      token: string,
    ): Promise<{ sessionId: string; targetUserId: string } | undefined> {
      if (!isWellFormedToken(token)) return undefined
      const session = await createImpersonationStore(deps.db).findByToken(tokenHash(token))
      if (session === undefined || !opens(session, adminUserId, deps.clock.now())) return undefined
      const [admin, target] = await Promise.all([
        deps.people.find(adminUserId),
        deps.people.find(session.targetUserId),
      ])
      if (!admin?.isPlatformAdmin || target === undefined || target.isPlatformAdmin) {
        return undefined
      }
      return { sessionId: session.sessionId, targetUserId: session.targetUserId }
    },

    /**
     * Before a request under impersonation is answered. The actor is the request's own: the target
     * user, with the administrator as impersonated_by, as in every entry such a request could
     * cause. Start and end, which happen outside the impersonation, name the administrator.
     */
    async recordRequest(request: {
      sessionId: string
      actor: Actor
      method: string
      path: string
    }): Promise<void> {
      const { sessionId, actor } = request
      const tell = await createTeller(deps, actor.userId)
      const changes = {
        method: { from: null, to: request.method },
        path: { from: null, to: loggedPath(request.path) },
      }
      await transact(deps.db, (tx) =>
        tell(tx, { action: 'impersonation.request', actor, sessionId, changes }),
      )
    },
  }
}

type Told = { action: string; actor: Actor; sessionId: string; changes?: Changes }

/**
 * Writes to the platform's log and to that of each organisation of the target. Memberships are
 * asked for before the transaction, which then needs no second connection.
 */
async function createTeller(deps: ImpersonationDeps, targetUserId: string) {
  const orgs = await deps.memberships.membershipsOf(targetUserId)
  return async (tx: Db, told: Told): Promise<void> => {
    const { sessionId, ...entry } = told
    const target = { type: 'impersonation_session', id: sessionId }
    for (const orgId of [null, ...orgs.map((org) => org.orgId)]) {
      await deps.audit.record(tx, { ...entry, orgId, target })
    }
  }
}

function noSession(): Problem {
  return new Problem('not_found', 'No such impersonation session.')
}

function gone(): Problem {
  return new Problem('gone', 'The impersonation session is over.')
}
