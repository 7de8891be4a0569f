import type { Actor } from '../../../audit.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { AttemptService } from './attempt-service.ts'
import { verifyPassword } from './password-service.ts'
import { type Account, createAccountStore } from './store.ts'

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/** Asks a signed-in person for their password again, before a change that a thief would make. */
export function createPasswordCheck(deps: { db: Db; attempts: AttemptService }) {
  return {
    /** The account, if the password is right; counts as a sign-in attempt. */
    async confirm(actor: Actor, password: string, network: string): Promise<Account> {
      const account = await createAccountStore(deps.db).findAccount(actor.userId)
      if (account === undefined) throw noPassword()
      const { email } = account
      const attempt = await deps.attempts.begin({ kind: 'password', email, network })
      if (!(await verifyPassword(account.passwordHash, password))) throw wrongPassword()
      await transact(deps.db, (tx) => deps.attempts.succeed(tx, attempt))
      return account
    },
  }
}

export function noPassword(): Problem {
  return new Problem('conflict', 'Your account has no password; you sign in another way.')
}

export function wrongPassword(): Problem {
  return new Problem('forbidden', 'The current password is incorrect.')
}
