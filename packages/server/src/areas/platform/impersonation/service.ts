import { randomBytes } from 'node:crypto'
import type { Actor, Audit, Changes } from '../../../audit.ts'
import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Memberships, People } from './ports.ts'
import { grantsAccess, hasEnded, isWellFormedToken, loggedPath, type Session } from './session.ts'
import { createImpersonationStore } from './store.ts'

/** spec: platform §4.5. */
const SESSION_MS = HOUR_MS
/** Ended sessions are kept this long (spec: platform §6.3). */
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
  return {
    /** Returns the token once; only its hash is stored. */
    start: (input: NewSession): Promise<SessionView & { token: string }> => start(deps, input),

    /** For any administrator. Throws `gone` for a session that has ended. */
    async get(sessionId: string): Promise<SessionView> {
      const session = await createImpersonationStore(deps.db).find(sessionId)
      if (session === undefined) throw noSession()
      if (hasEnded(session, deps.clock.now())) throw sessionEnded()
      const target = await deps.people.find(session.targetUserId)
      return { session, targetEmail: target?.email ?? null }
    },

    async end(sessionId: string, actor: Actor): Promise<void> {
      const found = await createImpersonationStore(deps.db).find(sessionId)
      if (found === undefined) throw noSession()
      const record = await createRecorder(deps, found.targetUserId)
      await transact(deps.db, async (tx) => {
        const store = createImpersonationStore(tx)
        const session = await store.lock(sessionId)
        if (session === undefined) throw noSession()
        if (session.adminUserId !== actor.userId) {
          throw new Problem(
            'forbidden',
            'Only the administrator who started the session can end it.',
          )
        }
        const now = deps.clock.now()
        if (hasEnded(session, now)) throw sessionEnded()
        await store.end(sessionId, now)
        await record(tx, { action: 'impersonation.ended', actor, sessionId })
      })
    },

    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) =>
        createImpersonationStore(tx).deleteEndedBefore(later(now, -KEPT_DAYS * DAY_MS)),
      ),

    /**
     * The user this administrator impersonates with this token. Reads both people on every call, so
     * that a session stops working when its administrator loses that role or its target gains it.
     */
    async resolve(
      adminUserId: string,
      token: string,
    ): Promise<{ sessionId: string; targetUserId: string } | undefined> {
      if (!isWellFormedToken(token)) return undefined
      const session = await createImpersonationStore(deps.db).findByToken(tokenHash(token))
      if (session === undefined || !grantsAccess(session, adminUserId, deps.clock.now())) {
        return undefined
      }
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
     * Called before a request under impersonation is answered. The actor is the target user, with
     * the administrator as impersonated_by, as in every audit entry that such a request causes.
     * Start and end happen outside the impersonation, so their actor is the administrator.
     */
    async recordRequest(request: {
      sessionId: string
      actor: Actor
      method: string
      path: string
    }): Promise<void> {
      const { sessionId, actor } = request
      const record = await createRecorder(deps, actor.userId)
      const changes = {
        method: { from: null, to: request.method },
        path: { from: null, to: loggedPath(request.path) },
      }
      await transact(deps.db, (tx) =>
        record(tx, { action: 'impersonation.request', actor, sessionId, changes }),
      )
    },
  }
}

type NewSession = { actor: Actor; targetUserId: string; reason: string }

async function start(
  deps: ImpersonationDeps,
  input: NewSession,
): Promise<SessionView & { token: string }> {
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
  const record = await createRecorder(deps, target.userId)
  await transact(deps.db, async (tx) => {
    await createImpersonationStore(tx).insert(session)
    await record(tx, {
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
}

type SessionEntry = { action: string; actor: Actor; sessionId: string; changes?: Changes }

/**
 * Writes to the platform's audit log and to that of each of the target's organisations. Memberships
 * are read before the transaction starts, so that the transaction needs no second connection.
 */
async function createRecorder(deps: ImpersonationDeps, targetUserId: string) {
  const orgs = await deps.memberships.membershipsOf(targetUserId)
  return async (tx: Db, sessionEntry: SessionEntry): Promise<void> => {
    const { sessionId, ...entry } = sessionEntry
    const target = { type: 'impersonation_session', id: sessionId }
    for (const orgId of [null, ...orgs.map((org) => org.orgId)]) {
      await deps.audit.record(tx, { ...entry, orgId, target })
    }
  }
}

function noSession(): Problem {
  return new Problem('not_found', 'No such impersonation session.')
}

function sessionEnded(): Problem {
  return new Problem('gone', 'The impersonation session has ended.')
}
