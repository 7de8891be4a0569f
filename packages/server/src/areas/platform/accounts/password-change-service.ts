import { type Actor, type Audit, personActor } from '../../../audit.ts'
import { type Clock, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newToken, tokenHash } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { AttemptService } from './attempt-service.ts'
import { assertUncommon } from './common-passwords-service.ts'
import { type PasswordCheck, wrongPassword } from './password-check-service.ts'
import { hashPassword } from './password-service.ts'
import type { Mailer, People } from './ports.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import type { Device, SessionService } from './session-service.ts'
import { type Account, createAccountStore } from './store.ts'

/** spec: platform §2.4. */
const RESET_MS = HOUR_MS
/** Reset e-mails to one address within that hour; further requests send nothing. */
const RESETS_MAX = 3
const RESET_TOKEN = /^tsp_[A-Za-z0-9_-]{43}$/
export const RESET_JOB = 'accounts.password_reset'

type PasswordChangeDeps = {
  db: Db
  clock: Clock
  audit: Audit
  jobs: Jobs
  people: People
  mailer: Mailer
  baseUrl: string
  sessions: SessionService
  attempts: AttemptService
  passwordCheck: PasswordCheck
}

export function createPasswordChangeService(deps: PasswordChangeDeps) {
  return {
    async change(
      actor: Actor,
      input: { currentPassword: string; newPassword: string; device: Device },
    ): Promise<void> {
      assertUncommon('new_password', input.newPassword)
      const { network } = input.device
      const account = await deps.passwordCheck.confirm(actor, input.currentPassword, network)
      const passwordHash = await hashPassword(input.newPassword)
      const ended = await transact(deps.db, async (tx) => {
        const current = await createAccountStore(tx).lockAccount(account.userId)
        if (current?.passwordHash !== account.passwordHash) throw wrongPassword()
        await recordOf(deps, tx, 'password.changed', actor)
        return replacePassword(deps, tx, { ...account, passwordHash }, network)
      })
      deps.sessions.evictAll(ended)
    },

    /**
     * The job looks up the account later, so that the answer does not reveal whether one exists.
     */
    async requestReset(email: string): Promise<void> {
      await transact(deps.db, (tx) => deps.jobs.enqueue(tx, RESET_JOB, { email }))
    },

    async sendReset(email: string): Promise<void> {
      const account = await createAccountStore(deps.db).findAccountByEmail(email)
      if (account === undefined) return
      await transact(deps.db, (tx) => mailReset(deps, tx, account))
    },

    /** Does not sign the user in, so the second factor is still required. */
    async confirmReset(token: string, newPassword: string, device: Device): Promise<void> {
      assertUncommon('new_password', newPassword)
      const hash = tokenHash(token)
      const reset = RESET_TOKEN.test(token)
        ? await createAccountStore(deps.db).findReset(hash)
        : undefined
      if (reset === undefined || isExpired(deps, reset)) throw invalidReset()
      const passwordHash = await hashPassword(newPassword)
      const ended = await transact(deps.db, async (tx) => {
        const store = createAccountStore(tx)
        const account = await store.lockAccount(reset.userId)
        // Look the token up again under the account's lock: of two concurrent uses only one
        // succeeds.
        if (account === undefined || (await store.findReset(hash)) === undefined) {
          throw invalidReset()
        }
        await deps.people.confirmEmail(tx, account.userId)
        await recordOf(deps, tx, 'password.reset', personActor(account.userId, device.origin))
        return replacePassword(deps, tx, { ...account, passwordHash }, device.network)
      })
      deps.sessions.evictAll(ended)
    },
  }
}

/**
 * Also ends every session, sign-in and reset token that the old password gave access to, and returns
 * the ids of the sessions. The address of the change becomes the only known one.
 */
async function replacePassword(
  deps: PasswordChangeDeps,
  tx: Db,
  account: Account,
  network: string,
): Promise<string[]> {
  const store = createAccountStore(tx)
  await store.setPassword(account.userId, account.passwordHash, deps.clock.now())
  await store.deleteResetsOf(account.userId)
  await createSecondFactorStore(tx).deleteChallengesOf(account.userId)
  await deps.attempts.forgetAddresses(tx, account.email)
  await deps.attempts.remember(tx, account.email, network)
  return deps.sessions.revokeAll(tx, account.userId)
}

async function mailReset(deps: PasswordChangeDeps, tx: Db, account: Account): Promise<void> {
  const store = createAccountStore(tx)
  const now = deps.clock.now()
  if ((await store.lockAccount(account.userId)) === undefined) return
  await store.deleteResetsEndedBefore(now, account.userId)
  if ((await store.countResets(account.userId)) >= RESETS_MAX) return
  const token = newToken('tsp_')
  const expiresAt = later(now, RESET_MS)
  await store.insertReset(tokenHash(token), { userId: account.userId, expiresAt }, now)
  await deps.mailer.queue(tx, {
    kind: 'password_reset',
    to: account.email,
    subject: 'Reset your Touchstone password',
    text: `Somebody asked to reset the password of ${account.email}.\n\nIn a browser, open ${deps.baseUrl}/password-reset and enter the token below. With the API, send the token and the new password (fields token and new_password) to\nPOST ${deps.baseUrl}/v1/auth/password-reset/confirm\n\n${token}\n\nThe token works once and expires at ${expiresAt.toISOString()}.\nIf you did not ask for this, ignore this e-mail.\n`,
  })
}

function isExpired(deps: PasswordChangeDeps, reset: { expiresAt: Date }): boolean {
  return reset.expiresAt.getTime() <= deps.clock.nowMs()
}

function recordOf(deps: PasswordChangeDeps, tx: Db, action: string, actor: Actor): Promise<void> {
  const target = { type: 'user', id: actor.userId }
  return deps.audit.record(tx, { orgId: null, action, actor, target })
}

function invalidReset(): Problem {
  return new Problem('invalid_request', 'token: is not valid or has expired. Request a new one.')
}
