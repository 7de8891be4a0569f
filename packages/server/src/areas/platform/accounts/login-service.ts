import { type Clock, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { FAILURES_MAX, lockedSeconds, WINDOW_MS } from './lockout.ts'
import { hashPassword, needsRehash, verifyPassword } from './password-service.ts'
import type { People } from './ports.ts'
import type { SessionService, TokenSet } from './session-service.ts'
import { createAccountStore } from './store.ts'

type LoginDeps = { db: Db; clock: Clock; people: People; sessions: SessionService }

export function createLoginService(deps: LoginDeps) {
  const runExclusive = createKeyedMutex()
  return {
    login: (email: string, password: string): Promise<TokenSet> =>
      runExclusive(email, () => login(deps, email, password)),
  }
}

async function login(deps: LoginDeps, email: string, password: string): Promise<TokenSet> {
  const { sessions } = deps
  await countAttempt(deps, email)
  const account = await createAccountStore(deps.db).findAccountByEmail(email)
  const matches = await verifyPassword(account?.passwordHash, password)
  if (account === undefined || !matches) throw wrongLogin()
  const rehashed = needsRehash(account.passwordHash) ? await hashPassword(password) : undefined
  const session = await transact(deps.db, async (tx) => {
    const store = createAccountStore(tx)
    const current = await store.lockAccount(account.userId)
    // A concurrent password change has revoked all sessions, so the old password must not open one.
    if (current?.passwordHash !== account.passwordHash) throw wrongLogin()
    const person = await deps.people.findIn(tx, account.userId)
    if (person === undefined) throw wrongLogin()
    await store.deleteFailures(tokenHash(email))
    if (rehashed !== undefined) {
      await store.setPassword(account.userId, rehashed, deps.clock.now())
    }
    return { person, refreshToken: await sessions.start(tx, account.userId) }
  })
  return sessions.createTokenSet(session.person, session.refreshToken)
}

/**
 * Counts the attempt as a failure before the password is checked; a successful login deletes the
 * failures again. Concurrent guesses therefore cannot exceed the limit. Does not look up whether
 * the address has an account.
 */
export async function countAttempt(
  deps: Pick<LoginDeps, 'db' | 'clock'>,
  email: string,
): Promise<void> {
  const emailHash = tokenHash(email)
  const seconds = await transact(deps.db, async (tx) => {
    const store = createAccountStore(tx)
    await store.lockAddress(emailHash)
    const now = deps.clock.now()
    const failures = await store.failuresSince(emailHash, later(now, -WINDOW_MS), FAILURES_MAX)
    const locked = lockedSeconds(failures, now)
    if (locked === undefined) await store.insertFailure(emailHash, now)
    return locked
  })
  if (seconds === undefined) return
  throw new Problem('rate_limited', 'Too many failed attempts for this e-mail address.', {
    headers: { 'retry-after': String(seconds) },
  })
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
