import { type Actor, type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Mailer, Memberships } from './ports.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import type { SessionService } from './session-service.ts'
import { createAccountStore } from './store.ts'

/** The person at the command line of the service, where nobody signs in. */
const OPERATOR: Actor = { ...SYSTEM_ACTOR, id: 'operator', userId: 'operator' }

type ResetDeps = {
  db: Db
  audit: Audit
  mailer: Mailer
  memberships: Memberships
  sessions: SessionService
}

export type SecondFactorReset =
  | { ok: true; sessionsEnded: number }
  | { ok: false; reason: 'no account' | 'no second factor' }

/**
 * Deletes the second factor of an account whose owner has lost app and recovery codes, ends its
 * sessions and tells the owner. The password stays, and is then enough to sign in.
 */
export async function resetSecondFactor(
  deps: ResetDeps,
  email: string,
): Promise<SecondFactorReset> {
  const found = await createAccountStore(deps.db).findAccountByEmail(email)
  if (found === undefined) return { ok: false, reason: 'no account' }
  const { userId } = found
  const memberships = await deps.memberships.membershipsOf(userId)
  const ended = await transact(deps.db, async (tx) => {
    await createAccountStore(tx).lockAccount(userId)
    const factors = createSecondFactorStore(tx)
    const factor = await factors.lock(userId)
    if (factor === undefined || factor.confirmedAt === null) return undefined
    await factors.delete(userId)
    await factors.deleteChallengesOf(userId)
    // The owners of an organisation read its log only, not that of the platform.
    for (const orgId of [null, ...memberships.map((one) => one.orgId)]) {
      const target = { type: 'user', id: userId }
      await deps.audit.record(tx, { orgId, action: 'second_factor.reset', actor: OPERATOR, target })
    }
    await deps.mailer.queue(tx, {
      kind: 'second_factor_reset',
      to: email,
      subject: 'Your Touchstone second factor was reset',
      text: `The operator of the service reset the second factor of ${email}, and all its sessions were ended.\n\nSign in with your password and set up a new second factor in your account.\nIf you did not ask for this, change your password and tell the operator.\n`,
    })
    return deps.sessions.revokeAll(tx, userId)
  })
  if (ended === undefined) return { ok: false, reason: 'no second factor' }
  deps.sessions.evictAll(ended)
  return { ok: true, sessionsEnded: ended.length }
}
