import type { Role } from '../../../access.ts'
import { type Actor, type Audit, personActor } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { admit, type SignupMode } from './admission.ts'
import { type AttemptService, createAttemptService } from './attempt-service.ts'
import { createBrowserSessionService } from './browser-session-service.ts'
import { assertUncommon } from './common-passwords-service.ts'
import { createKeyService } from './key-service.ts'
import { createLoginService } from './login-service.ts'
import { createPasswordChangeService } from './password-change-service.ts'
import { createPasswordCheck } from './password-check-service.ts'
import { hashPassword } from './password-service.ts'
import type { Invitations, Mailer, Memberships, People, Person } from './ports.ts'
import { resetSecondFactor, type SecondFactorReset } from './second-factor-reset-service.ts'
import { createSecondFactorService } from './second-factor-service.ts'
import {
  createSessionService,
  type Device,
  type Origin,
  type SessionService,
  type TokenSet,
} from './session-service.ts'
import { type Account, createAccountStore } from './store.ts'

export type Signup = {
  email: string
  password: string
  name: string | null
  invitationToken: string | undefined
}

type FirstAccount = { email: string; password: string; name: string | null }

export type Me = {
  person: Person
  hasSecondFactor: boolean
  /** `needsSecondFactor`: it is required, and the person has none. */
  orgs: { orgId: string; name: string; role: Role; needsSecondFactor: boolean }[]
}

const LOCAL_ISSUER = 'local'

export type AccountDeps = {
  db: Db
  clock: Clock
  audit: Audit
  jobs: Jobs
  notices: Notices
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
  const attempts = createAttemptService(deps)
  const passwordCheck = createPasswordCheck({ db: deps.db, attempts })
  const factors = createSecondFactorService({
    ...deps,
    attempts,
    sessions,
    passwords: passwordCheck,
  })
  const logins = createLoginService({ ...deps, sessions, attempts, factors })
  const passwords = createPasswordChangeService({ ...deps, sessions, attempts, passwordCheck })
  return {
    prepareKeys: keys.prepareKeys,
    accessToken: keys.accessToken,
    publicKeys: keys.publicKeys,
    findPublicKey: keys.findPublicKey,
    rotate: keys.rotate,

    tokensFor: sessions.tokensFor,
    refresh: sessions.refresh,
    browserSessions: createBrowserSessionService({ baseUrl: deps.baseUrl, sessions }),
    logout: sessions.logout,
    revokeAll: sessions.revokeAll,
    isLive: sessions.isLive,
    listSessions: sessions.list,
    endSession: sessions.end,
    endAllSessions: sessions.endAll,
    login: logins.login,
    answerChallenge: logins.answerChallenge,

    secondFactor: factors.state,
    hasSecondFactor: (userId: string): Promise<boolean> => factors.isEnabled(deps.db, userId),
    enrolSecondFactor: factors.enrol,
    confirmSecondFactor: factors.confirm,
    regenerateRecoveryCodes: factors.regenerate,
    disableSecondFactor: factors.disable,
    /** For the operator, who has verified the identity of the person. */
    resetSecondFactor: (email: string): Promise<SecondFactorReset> =>
      resetSecondFactor({ ...deps, sessions }, email),

    signup: (input: Signup, device: Device): Promise<TokenSet> =>
      signup({ ...deps, sessions, attempts }, input, device),

    /**
     * Creates the account of the first start; its address counts as verified, because the operator
     * chose it.
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
      const memberships = await deps.memberships.membershipsOf(userId)
      const hasSecondFactor = await factors.isEnabled(deps.db, userId)
      // Other identity providers ask for their own second factor.
      const isExempt = hasSecondFactor || person.issuer !== LOCAL_ISSUER
      const orgs = memberships.map(({ orgId, name, role, requiresSecondFactor }) => ({
        orgId,
        name,
        role,
        needsSecondFactor: requiresSecondFactor && !isExempt,
      }))
      return { person, hasSecondFactor, orgs }
    },

    /** Erases profile and e-mail; the opaque id stays in audit entries (spec: platform §6.4). */
    deleteAccount: (actor: Actor): Promise<void> =>
      deleteAccount({ ...deps, sessions, attempts }, actor),

    /** Deletes what has ended or expired; returns the number of rows. */
    async purge(now: Date): Promise<number> {
      const store = createAccountStore(deps.db)
      const counts = [
        await sessions.purgeSessions(now),
        await store.deleteResetsEndedBefore(now),
        await attempts.purge(now),
        await factors.purge(now),
        await keys.purgeKeys(),
      ]
      return counts.reduce((total, count) => total + count, 0)
    },
  }
}

type Parts = AccountDeps & { sessions: SessionService; attempts: AttemptService }

async function signup(deps: Parts, input: Signup, device: Device): Promise<TokenSet> {
  assertUncommon('password', input.password)
  const hasInvitation = input.invitationToken !== undefined
  const isFirst = !(await deps.people.hasFirst(deps.db))
  // Refuse early, before the expensive hash; the check that counts is repeated under the lock.
  if (admit({ mode: deps.signupMode, isFirst, hasInvitation }) === 'refused') {
    throw signupRefused(deps.signupMode)
  }
  const passwordHash = await hashPassword(input.password)
  const session = await withEmailConflict(() =>
    transact(deps.db, async (tx) => {
      const person = await register(deps, tx, { ...input, passwordHash }, device.origin)
      await deps.attempts.remember(tx, input.email, device.network)
      return { person, ...(await deps.sessions.start(tx, person.userId, device)) }
    }),
  )
  return deps.sessions.createTokenSet(session.person, session)
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
  // An invitation has two tokens: one is shown to the inviter, the other is only in the e-mail, so
  // only the latter verifies the address.
  const emailVerified = hasInvitation && (await deps.invitations.isMailed(tx, invitationToken))
  const profile = { email, emailVerified, name, isFirst, origin }
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
  return deps.people.findOrCreate(tx, { ...input, issuer: LOCAL_ISSUER, subject: newId('local') })
}

function addAccount(deps: AccountDeps, tx: Db, account: Account): Promise<void> {
  return createAccountStore(tx).insertAccount(account, deps.clock.now())
}

async function deleteAccount(deps: Parts, actor: Actor): Promise<void> {
  const ended = await transact(deps.db, async (tx) => {
    const { userId } = actor
    await deps.people.lock(tx, userId)
    await deps.memberships.leaveAll(tx, userId, actor)
    const store = createAccountStore(tx)
    const account = await store.lockAccount(userId)
    if (account !== undefined) {
      await deps.attempts.forgetAddresses(tx, account.email)
      await store.deleteAccount(userId)
    }
    const sessionIds = await deps.sessions.revokeAll(tx, userId)
    await deps.sessions.forgetClients(tx, userId)
    const person = await deps.people.findIn(tx, userId)
    if (person?.email) await deps.invitations.deleteFor(tx, person.email)
    await deps.people.erase(tx, userId)
    const target = { type: 'user', id: userId }
    await deps.audit.record(tx, { orgId: null, action: 'account.deleted', actor, target })
    return sessionIds
  })
  deps.sessions.evictAll(ended)
}

async function withEmailConflict<T>(work: () => Promise<T>): Promise<T> {
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
