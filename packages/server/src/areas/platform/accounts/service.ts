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
import { countAttempt, createLoginService } from './login-service.ts'
import { hashPassword, verifyPassword } from './password-service.ts'
import type { Invitations, Mailer, Memberships, People, Person } from './ports.ts'
import {
  createSessionService,
  type Origin,
  type SessionService,
  type TokenSet,
} from './session-service.ts'
import { type Account, createAccountStore } from './store.ts'

/** spec: platform §2.4. */
const RESET_MS = HOUR_MS
/** Reset e-mails to one address within that hour; further requests send nothing. */
const RESETS_MAX = 3
const RESET_TOKEN = /^tsp_[A-Za-z0-9_-]{43}$/
export const RESET_JOB = 'accounts.password_reset'

export type Signup = {
  email: string
  password: string
  name: string | null
  invitationToken: string | undefined
}

type FirstAccount = { email: string; password: string; name: string | null }

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
  const logins = createLoginService({ ...deps, sessions })
  const passwords = createPasswordMethods(deps, sessions)
  return {
    prepareKeys: keys.prepareKeys,
    accessToken: keys.accessToken,
    publicKeys: keys.publicKeys,
    findPublicKey: keys.findPublicKey,
    rotate: keys.rotate,

    tokensFor: sessions.tokensFor,
    refresh: sessions.refresh,
    logout: sessions.logout,
    revokeAll: sessions.revokeAll,
    login: logins.login,

    signup: (input: Signup, origin: Origin): Promise<TokenSet> =>
      signup(deps, sessions, input, origin),

    /**
     * Creates the first start's account; its address counts as verified, as the operator chose it.
     */
    createFirst: (tx: Db, input: FirstAccount): Promise<Person> => createFirst(deps, tx, input),

    /** Whether a local account has ever been created, even if it was deleted since. */
    hasAny: (db: Db): Promise<boolean> => deps.people.hasFirst(db),

    changePassword: passwords.change,
    requestReset: passwords.requestReset,
    sendReset: passwords.sendReset,
    confirmReset: passwords.confirmReset,

    async me(userId: string): Promise<Me> {
      const person = await deps.people.find(userId)
      if (person === undefined) throw new Problem('not_found', 'This account was deleted.')
      return { person, orgs: await deps.memberships.membershipsOf(userId) }
    },

    /** Erases profile and e-mail; the opaque id stays in audit entries (spec: platform §6.4). */
    deleteAccount: (actor: Actor): Promise<void> => deleteAccount(deps, sessions, actor),

    /** Deletes ended sessions, resets, login failures and keys; returns the number of rows. */
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

async function signup(
  deps: AccountDeps,
  sessions: SessionService,
  input: Signup,
  origin: Origin,
): Promise<TokenSet> {
  const hasInvitation = input.invitationToken !== undefined
  const isFirst = !(await deps.people.hasFirst(deps.db))
  // Refuse early, before the expensive hash; the binding check is repeated under the lock.
  if (admit({ mode: deps.signupMode, isFirst, hasInvitation }) === 'refused') {
    throw signupRefused(deps.signupMode)
  }
  const passwordHash = await hashPassword(input.password)
  const session = await emailConflict(() =>
    transact(deps.db, async (tx) => {
      const person = await register(deps, tx, { ...input, passwordHash }, origin)
      return { person, refreshToken: await sessions.start(tx, person.userId) }
    }),
  )
  return sessions.createTokenSet(session.person, session.refreshToken)
}

async function createFirst(deps: AccountDeps, tx: Db, input: FirstAccount): Promise<Person> {
  await createAccountStore(tx).lockFirst()
  if (await deps.people.hasFirst(tx)) {
    throw new Problem('conflict', 'The first account exists already.')
  }
  const passwordHash = await hashPassword(input.password)
  const person = await createPerson(deps, tx, { ...input, emailVerified: true, isFirst: true })
  await addAccount(deps, tx, { userId: person.userId, email: input.email, passwordHash })
  return person
}

async function register(
  deps: AccountDeps,
  tx: Db,
  input: Signup & { passwordHash: string },
  origin: Origin,
): Promise<Person> {
  const { email, name, passwordHash, invitationToken } = input
  const isFirst = await claimFirst(deps, tx)
  const hasInvitation = invitationToken !== undefined
  const admission = admit({ mode: deps.signupMode, isFirst, hasInvitation })
  if (admission === 'refused') throw signupRefused(deps.signupMode)
  // An invitation does not verify the address, because the inviter sees its token, too.
  const profile = { email, emailVerified: false, name, isFirst, origin }
  const person = await createPerson(deps, tx, profile)
  // The invitation is checked before the address is claimed, so that only the holder of a valid
  // invitation can learn whether the address has an account.
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
    throw new Problem('forbidden', 'The invitation is not valid or has expired.', { cause: err })
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
  // A random subject, not the address: an address can change hands, an account cannot.
  return deps.people.findOrCreate(tx, { ...input, issuer: 'local', subject: newId('local') })
}

function addAccount(deps: AccountDeps, tx: Db, account: Account): Promise<void> {
  return createAccountStore(tx).insertAccount(account, deps.clock.now())
}

function createPasswordMethods(deps: AccountDeps, sessions: SessionService) {
  return {
    async change(
      actor: Actor,
      input: { currentPassword: string; newPassword: string },
    ): Promise<void> {
      const account = await createAccountStore(deps.db).findAccount(actor.userId)
      if (account === undefined) {
        throw new Problem('conflict', 'Your account has no password; you sign in another way.')
      }
      await countAttempt(deps, account.email)
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

    async confirmReset(token: string, newPassword: string, origin: Origin): Promise<void> {
      const hash = tokenHash(token)
      const reset = RESET_TOKEN.test(token)
        ? await createAccountStore(deps.db).findReset(hash)
        : undefined
      if (reset === undefined || isExpired(deps, reset)) throw invalidReset()
      const passwordHash = await hashPassword(newPassword)
      await transact(deps.db, async (tx) => {
        const store = createAccountStore(tx)
        const account = await store.lockAccount(reset.userId)
        // Look the token up again under the account's lock: of two concurrent uses only one
        // succeeds.
        if (account === undefined || (await store.findReset(hash)) === undefined) {
          throw invalidReset()
        }
        await replacePassword(deps, tx, sessions, { ...account, passwordHash })
        await deps.people.confirmEmail(tx, account.userId)
        await recordOf(deps, tx, 'password.reset', personActor(account.userId, origin))
      })
    },
  }
}

/** Also revokes every session and reset token that the old password gave access to. */
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
    subject: 'Reset your Touchstone password',
    text: `Somebody asked to reset the password of ${account.email}.\n\nIn a browser, open ${deps.baseUrl}/password-reset and enter the token below. With the API, send the token and the new password (fields token and new_password) to\nPOST ${deps.baseUrl}/v1/auth/password-reset/confirm\n\n${token}\n\nThe token works once and expires at ${expiresAt.toISOString()}.\nIf you did not ask for this, ignore this e-mail.\n`,
  })
}

async function deleteAccount(
  deps: AccountDeps,
  sessions: SessionService,
  actor: Actor,
): Promise<void> {
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
}

function isExpired(deps: AccountDeps, reset: { expiresAt: Date }): boolean {
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
    throw new Problem('conflict', 'This e-mail address already has an account.', { cause: err })
  }
}

function signupRefused(mode: SignupMode): Problem {
  return new Problem(
    'forbidden',
    mode === 'closed' ? 'Sign-up is closed.' : 'Sign-up requires an invitation.',
  )
}

function wrongPassword(): Problem {
  return new Problem('forbidden', 'The current password is incorrect.')
}

function invalidReset(): Problem {
  return new Problem('invalid_request', 'token: is not valid or has expired. Request a new one.')
}
