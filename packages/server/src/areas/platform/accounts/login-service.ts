import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { AttemptService } from './attempt-service.ts'
import { hashPassword, needsRehash, verifyPassword } from './password-service.ts'
import type { People, Person } from './ports.ts'
import type { MissingCode, SecondFactorService } from './second-factor-service.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import type { Device, SessionService, StartedSession, TokenSet } from './session-service.ts'
import { createAccountStore } from './store.ts'

const CHALLENGE_TOKEN = /^tsm_[A-Za-z0-9_-]{43}$/
/** Wrong codes per right password; the limits per account and address count besides. */
const CHALLENGE_ATTEMPTS_MAX = 5

type LoginDeps = {
  db: Db
  clock: Clock
  people: People
  sessions: SessionService
  attempts: AttemptService
  factors: SecondFactorService
}

type SignedIn = { person: Person } & StartedSession

export function createLoginService(deps: LoginDeps) {
  const runExclusive = createKeyedMutex()
  return {
    /** The tokens, or a challenge if the account has a second factor. */
    login: (email: string, password: string, device: Device): Promise<TokenSet | MissingCode> =>
      runExclusive(`${email} ${device.network}`, () => login(deps, email, password, device)),

    /** The second step: exchanges the token of the first and a code for tokens. */
    answerChallenge: (token: string, code: string, device: Device): Promise<TokenSet> =>
      answerChallenge(deps, token, code, device),
  }
}

async function login(
  deps: LoginDeps,
  email: string,
  password: string,
  device: Device,
): Promise<TokenSet | MissingCode> {
  const { network } = device
  const attempt = await deps.attempts.begin({ kind: 'password', email, network })
  const account = await createAccountStore(deps.db).findAccountByEmail(email)
  const matches = await verifyPassword(account?.passwordHash, password)
  if (account === undefined || !matches) throw wrongLogin()
  const rehashed = needsRehash(account.passwordHash) ? await hashPassword(password) : undefined
  const { userId } = account
  const next = await transact(deps.db, async (tx): Promise<SignedIn | MissingCode> => {
    const store = createAccountStore(tx)
    const current = await store.lockAccount(userId)
    // A concurrent password change has revoked all sessions, so the old password must not open one.
    if (current?.passwordHash !== account.passwordHash) throw wrongLogin()
    const person = await deps.people.findIn(tx, userId)
    if (person === undefined) throw wrongLogin()
    await deps.attempts.succeed(tx, attempt)
    if (rehashed !== undefined) await store.setPassword(userId, rehashed, deps.clock.now())
    if (await deps.factors.isEnabled(tx, userId)) return deps.factors.challenge(tx, userId)
    return signIn(deps, tx, { person, email, device })
  })
  return 'mfa_required' in next ? next : deps.sessions.createTokenSet(next.person, next)
}

async function answerChallenge(
  deps: LoginDeps,
  token: string,
  code: string,
  device: Device,
): Promise<TokenSet> {
  const hash = tokenHash(token)
  const challenges = createSecondFactorStore(deps.db)
  const found = CHALLENGE_TOKEN.test(token) ? await challenges.findChallenge(hash) : undefined
  if (found === undefined || found.expiresAt.getTime() <= deps.clock.nowMs()) {
    throw invalidChallenge()
  }
  const { userId } = found
  const account = await createAccountStore(deps.db).findAccount(userId)
  if (account === undefined) throw invalidChallenge()
  const { email } = account
  const attempt = await deps.attempts.begin({ kind: 'code', email, network: device.network })
  // Counted outside the transaction below, which a wrong code rolls back.
  const count = await challenges.countChallengeAttempt(hash)
  if (count === undefined || count > CHALLENGE_ATTEMPTS_MAX) throw invalidChallenge()
  const session = await transact(deps.db, async (tx) => {
    await createAccountStore(tx).lockAccount(userId)
    const store = createSecondFactorStore(tx)
    const person = await deps.people.findIn(tx, userId)
    // Looked up again under the lock: a new password deletes the challenges of the old one.
    const isOpen = (await store.findChallenge(hash)) !== undefined
    if (person === undefined || !isOpen) throw invalidChallenge()
    if (!(await deps.factors.useCode(tx, userId, code, device))) throw wrongCode()
    await store.deleteChallenge(hash)
    await deps.attempts.succeed(tx, attempt)
    return signIn(deps, tx, { person, email, device })
  })
  return deps.sessions.createTokenSet(session.person, session)
}

async function signIn(
  deps: LoginDeps,
  tx: Db,
  { person, email, device }: { person: Person; email: string; device: Device },
): Promise<SignedIn> {
  await deps.attempts.remember(tx, email, device.network)
  return { person, ...(await deps.sessions.start(tx, person.userId, device)) }
}

/**
 * Runs work for the same key one after the other. A person's programs may all sign in at the same
 * moment; without the mutex, their logins in progress would count as failures of each other.
 */
function createKeyedMutex() {
  const tails = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const run = (tails.get(key) ?? Promise.resolve()).then(work, work)
    tails.set(key, run)
    const release = () => {
      if (tails.get(key) === run) tails.delete(key)
    }
    run.then(release, release)
    return run
  }
}

function wrongLogin(): Problem {
  return new Problem('unauthorized', 'The e-mail address or the password is incorrect.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function wrongCode(): Problem {
  return new Problem('unauthorized', 'The code is incorrect or was used before.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function invalidChallenge(): Problem {
  return new Problem('unauthorized', 'This sign-in is not open any more. Start again.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
