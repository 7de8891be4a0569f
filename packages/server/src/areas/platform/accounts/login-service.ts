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
  const inTurn = createTurns()
  return {
    login: (email: string, password: string): Promise<TokenSet> =>
      inTurn(email, () => login(deps, email, password)),
  }
}

async function login(deps: LoginDeps, email: string, password: string): Promise<TokenSet> {
  const { sessions } = deps
  await countTry(deps, email)
  const account = await createAccountStore(deps.db).findAccountByEmail(email)
  const matches = await verifyPassword(account?.passwordHash, password)
  if (account === undefined || !matches) throw wrongLogin()
  const raised = needsRehash(account.passwordHash) ? await hashPassword(password) : undefined
  const made = await transact(deps.db, async (tx) => {
    const store = createAccountStore(tx)
    const current = await store.lockAccount(account.userId)
    // A password changed since it was compared ends all sessions, so none may begin now.
    if (current?.passwordHash !== account.passwordHash) throw wrongLogin()
    const person = await deps.people.findIn(tx, account.userId)
    if (person === undefined) throw wrongLogin()
    await store.deleteFailures(tokenHash(email))
    if (raised !== undefined) {
      await store.setPassword(account.userId, raised, deps.clock.now())
    }
    return { person, refreshToken: await sessions.begin(tx, account.userId) }
  })
  return sessions.finish(made.person, made.refreshToken)
}

/**
 * Counts the try as a failure before it is made and forgets it when it succeeds, so that tries
 * made at the same time cannot outrun the count. Asks nothing about accounts.
 */
export async function countTry(
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
  throw new Problem('rate_limited', 'Too many failed tries for this e-mail address.', {
    headers: { 'retry-after': String(seconds) },
  })
}

/**
 * One at a time for a key. A person's programs may all sign in at the same moment; were they not
 * made to wait for each other, the tries still under way would count as failures.
 */
function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, turn)
    const leave = () => {
      if (last.get(key) === turn) last.delete(key)
    }
    turn.then(leave, leave)
    return turn
  }
}

function wrongLogin(): Problem {
  return new Problem('unauthorized', 'The e-mail address or the password is not right.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
