import type { Role } from '../../../access.ts'
import { type Actor, type Audit, personActor } from '../../../audit.ts'
import { type Clock, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import { newId, newToken, tokenHash } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { admit, type SignupMode } from './admission.ts'
import { createKeyService } from './key-service.ts'
import { WINDOW_MS } from './lockout.ts'
import { countTry, createLoginService } from './login-service.ts'
import { hashPassword, verifyPassword } from './password-service.ts'
import type { Invitations, Mailer, Memberships, People, Person } from './ports.ts'
import {
  createSessionService,
  type Origin,
  type SessionService,
  type TokenSet,
} from './session-service.ts'
import { type Account, createAccountStore } from './store.ts'

/** 04 §2.4. */
const RESET_MS = HOUR_MS
/** Mails to one address within that hour; asking more often changes nothing. */
const RESETS_MAX = 3
const RESET_TOKEN = /^tsp_[A-Za-z0-9_-]{43}$/
export const RESET_JOB = 'accounts.password_reset'

export type Signup = {
  email: string
  password: string
  name: string | null
  invitationToken: string | undefined
}

export type Me = { person: Person; orgs: { orgId: string; name: string; role: Role }[] }

export type AccountDeps = {
  db: Db
  clock: Clock
  audit: Audit
  jobs: Jobs
  secrets: SecretBox
  people: People
  invitations: Invitations
  memberships: Memberships
  mailer: Mailer
  baseUrl: string
  localIdp: boolean
  signupMode: SignupMode
}

export type AccountService = ReturnType<typeof createAccountService>

export function createAccountService(deps: AccountDeps) {
  const keys = createKeyService(deps)
  const sessions = createSessionService({ ...deps, keys })
  return {
    ...keys,
    tokensFor: sessions.tokensFor,
    refresh: sessions.refresh,
    logout: sessions.logout,
    revokeAll: sessions.revokeAll,
    ...signups(deps, sessions),
    ...createLoginService({ ...deps, sessions }),
    ...passwords(deps, sessions),
    ...profiles(deps, sessions),
    /** Removes what has ended; returns how many rows. */
    async purge(now: Date): Promise<number> {
      const store = createAccountStore(deps.db)
      const counts = [
        await sessions.purgeSessions(now),
        await store.deleteResetsEndedBefore(now),
        await store.deleteFailuresBefore(later(now, -WINDOW_MS)),
        await keys.purgeKeys(),
      ]
      return counts.reduce((total, count) => total + count, 0)
    },
  }
}

function signups(deps: AccountDeps, sessions: SessionService) {
  return {
    async signup(input: Signup, origin: Origin): Promise<TokenSet> {
      const hasInvitation = input.invitationToken !== undefined
      const isFirst = !(await deps.people.hasFirst(deps.db))
      // Before the costly hash; what counts is asked again under the lock.
      if (admit({ mode: deps.signupMode, isFirst, hasInvitation }) === 'refused') {
        throw notOpen(deps.signupMode)
      }
      const passwordHash = await hashPassword(input.password)
      const made = await emailConflict(() =>
        transact(deps.db, async (tx) => {
          const person = await join(deps, tx, { ...input, passwordHash }, origin)
          return { person, refreshToken: await sessions.begin(tx, person.userId) }
        }),
      )
      return sessions.finish(made.person, made.refreshToken)
    },

    /** The account of the first start; its address is the operator's word. */
    async createFirst(
      tx: Db,
      input: { email: string; password: string; name: string | null },
    ): Promise<Person> {
      await createAccountStore(tx).lockFirst()
      if (await deps.people.hasFirst(tx)) {
        throw new Problem('conflict', 'There is a first account already.')
      }
      const passwordHash = await hashPassword(input.password)
      const person = await createPerson(deps, tx, { ...input, emailVerified: true, isFirst: true })
      await addAccount(deps, tx, { userId: person.userId, email: input.email, passwordHash })
      return person
    },

    /** Whether there has ever been a local account. */
    hasAny: (db: Db): Promise<boolean> => deps.people.hasFirst(db),
  }
}

async function join(
  deps: AccountDeps,
  tx: Db,
  input: Signup & { passwordHash: string },
  origin: Origin,
): Promise<Person> {
  const { email, name, passwordHash, invitationToken } = input
  const isFirst = await claimFirst(deps, tx)
  const hasInvitation = invitationToken !== undefined
  const admission = admit({ mode: deps.signupMode, isFirst, hasInvitation })
  if (admission === 'refused') throw notOpen(deps.signupMode)
  // An invitation proves nothing: whoever invites sees its token, too. A mailed link does.
  const profile = { email, emailVerified: false, name, isFirst, origin }
  const person = await createPerson(deps, tx, profile)
  // The invitation comes before the address is claimed: without a valid one nobody learns
  // whether the address has an account.
  if (invitationToken !== undefined) {
    await accept(deps, tx, invitationToken, { userId: person.userId, email }, origin)
  }
  await addAccount(deps, tx, { userId: person.userId, email, passwordHash })
  return person
}

async function claimFirst(deps: AccountDeps, tx: Db): Promise<boolean> {
  if (await deps.people.hasFirst(tx)) return false
  await createAccountStore(tx).lockFirst()
  return !(await deps.people.hasFirst(tx))
}

async function accept(
  deps: AccountDeps,
  tx: Db,
  token: string,
  user: { userId: string; email: string },
  origin: Origin,
): Promise<void> {
  try {
    await deps.invitations.acceptIn(tx, token, user, personActor(user.userId, origin))
  } catch (err) {
    if (!(err instanceof Problem) || (err.code !== 'not_found' && err.code !== 'gone')) throw err
    throw new Problem('forbidden', 'The invitation is not valid or is over.', { cause: err })
  }
}

function createPerson(
  deps: AccountDeps,
  tx: Db,
  input: {
    email: string
    emailVerified: boolean
    name: string | null
    isFirst: boolean
    origin?: Origin
  },
): Promise<Person> {
  // The subject is of no use to anybody: an address may change its owner, an account may not.
  return deps.people.findOrCreate(tx, { ...input, issuer: 'local', subject: newId('local') })
}

function addAccount(deps: AccountDeps, tx: Db, account: Account): Promise<void> {
  return createAccountStore(tx).insertAccount(account, deps.clock.now())
}

function passwords(deps: AccountDeps, sessions: SessionService) {
  return {
    async changePassword(
      actor: Actor,
      input: { currentPassword: string; newPassword: string },
    ): Promise<void> {
      const account = await createAccountStore(deps.db).findAccount(actor.userId)
      if (account === undefined) {
        throw new Problem('conflict', 'You do not sign in with a password here.')
      }
      await countTry(deps, account.email)
      if (!(await verifyPassword(account.passwordHash, input.currentPassword))) {
        throw wrongPassword()
      }
      const passwordHash = await hashPassword(input.newPassword)
      await transact(deps.db, async (tx) => {
        const current = await createAccountStore(tx).lockAccount(account.userId)
        if (current?.passwordHash !== account.passwordHash) throw wrongPassword()
        await replacePassword(deps, tx, sessions, { ...account, passwordHash })
        await recordOf(deps, tx, 'password.changed', actor)
      })
    },

    /** The same work for every address: who has an account is looked up later, unseen. */
    async requestReset(email: string): Promise<void> {
      await transact(deps.db, (tx) => deps.jobs.enqueue(tx, RESET_JOB, { email }))
    },

    async sendReset(email: string): Promise<void> {
      const account = await createAccountStore(deps.db).findAccountByEmail(email)
      if (account === undefined) return
      await transact(deps.db, (tx) => mailReset(deps, tx, account))
    },

    async confirmReset(token: string, newPassword: string, origin: Origin): Promise<void> {
      const hash = tokenHash(token)
      const reset = RESET_TOKEN.test(token)
        ? await createAccountStore(deps.db).findReset(hash)
        : undefined
      if (reset === undefined || isOver(deps, reset)) throw resetOver()
      const passwordHash = await hashPassword(newPassword)
      await transact(deps.db, async (tx) => {
        const store = createAccountStore(tx)
        const account = await store.lockAccount(reset.userId)
        // Under the lock of the account, so that of two uses only the first finds the token.
        if (account === undefined || (await store.findReset(hash)) === undefined) throw resetOver()
        await replacePassword(deps, tx, sessions, { ...account, passwordHash })
        await deps.people.confirmEmail(tx, account.userId)
        await recordOf(deps, tx, 'password.reset', personActor(account.userId, origin))
      })
    },
  }
}

/** Ends everything the old password had opened. */
async function replacePassword(
  deps: AccountDeps,
  tx: Db,
  sessions: SessionService,
  account: Account,
): Promise<void> {
  const store = createAccountStore(tx)
  await store.setPassword(account.userId, account.passwordHash, deps.clock.now())
  await store.deleteResetsOf(account.userId)
  await store.deleteFailures(tokenHash(account.email))
  await sessions.revokeAll(tx, account.userId)
}

async function mailReset(deps: AccountDeps, tx: Db, account: Account): Promise<void> {
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
    subject: 'Set a new Touchstone password',
    text: `Somebody, hopefully you, asked for a new password for ${account.email}.\n\nIn a browser, open ${deps.baseUrl}/password-reset and give the token below. Or send this token and the new password (fields token and new_password) to\nPOST ${deps.baseUrl}/v1/auth/password-reset/confirm\n\n${token}\n\nIt works once and ends ${expiresAt.toISOString()}.\nIf it was not you, do nothing.\n`,
  })
}

function profiles(deps: AccountDeps, sessions: SessionService) {
  return {
    async me(userId: string): Promise<Me> {
      const person = await deps.people.find(userId)
      if (person === undefined) throw new Problem('not_found', 'This account is gone.')
      return { person, orgs: await deps.memberships.membershipsOf(userId) }
    },

    /** Erases profile and e-mail; the opaque id stays in audit entries (04 §7.4). */
    async deleteAccount(actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const { userId } = actor
        await deps.people.lock(tx, userId)
        await deps.memberships.leaveAll(tx, userId, actor)
        const store = createAccountStore(tx)
        const account = await store.lockAccount(userId)
        if (account !== undefined) {
          await store.deleteFailures(tokenHash(account.email))
          await store.deleteAccount(userId)
        }
        await sessions.revokeAll(tx, userId)
        const person = await deps.people.findIn(tx, userId)
        if (person?.email) await deps.invitations.forget(tx, person.email)
        await deps.people.erase(tx, userId)
        await recordOf(deps, tx, 'account.deleted', actor)
      })
    },
  }
}

function isOver(deps: AccountDeps, reset: { expiresAt: Date }): boolean {
  return reset.expiresAt.getTime() <= deps.clock.nowMs()
}

function recordOf(deps: AccountDeps, tx: Db, action: string, actor: Actor): Promise<void> {
  const target = { type: 'user', id: actor.userId }
  return deps.audit.record(tx, { orgId: null, action, actor, target })
}

async function emailConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    if (!isUniqueViolation(err, 'local_account_email')) throw err
    throw new Problem('conflict', 'This e-mail address has an account already.', { cause: err })
  }
}

function notOpen(mode: SignupMode): Problem {
  return new Problem(
    'forbidden',
    mode === 'closed' ? 'Signing up is closed here.' : 'Signing up needs an invitation here.',
  )
}

function wrongPassword(): Problem {
  return new Problem('forbidden', 'The current password is not right.')
}

function resetOver(): Problem {
  return new Problem('invalid_request', 'token: is not valid or is over. Ask for a new one.')
}
