import { type Kysely, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** Tables this feature owns. Nobody else reads or writes them. */
type AccountTables = {
  local_account: {
    user_id: string
    email: string
    password_hash: string
    created_at: Date
    updated_at: Date
  }
  password_reset: { token_hash: string; user_id: string; created_at: Date; expires_at: Date }
}

export type Account = { userId: string; email: string; passwordHash: string }

export type Reset = { userId: string; expiresAt: Date }

export function createAccountStore(db: Db) {
  const q = db.withTables<AccountTables>()
  const accounts = createAccountQueries(q)
  const resets = createResetQueries(q)
  return {
    insertAccount: accounts.insert,
    findAccount: accounts.find,
    findAccountByEmail: accounts.findByEmail,
    lockAccount: accounts.lock,
    setPassword: accounts.setPassword,
    deleteAccount: accounts.delete,
    lockFirst: accounts.lockFirst,

    insertReset: resets.insert,
    findReset: resets.find,
    countResets: resets.count,
    deleteResetsOf: resets.deleteOfUser,
    deleteResetsEndedBefore: resets.deleteEndedBefore,
  }
}

function createAccountQueries(q: Kysely<AccountTables>) {
  const columns = ['user_id', 'email', 'password_hash'] as const
  return {
    async insert(account: Account, now: Date): Promise<void> {
      await q
        .insertInto('local_account')
        .values({
          user_id: account.userId,
          email: account.email,
          password_hash: account.passwordHash,
          created_at: now,
          updated_at: now,
        })
        .execute()
    },

    async findByEmail(email: string): Promise<Account | undefined> {
      const row = await q
        .selectFrom('local_account')
        .select(columns)
        .where('email', '=', email)
        .executeTakeFirst()
      return row && toAccount(row)
    },

    async find(userId: string): Promise<Account | undefined> {
      const row = await q
        .selectFrom('local_account')
        .select(columns)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row && toAccount(row)
    },

    async lock(userId: string): Promise<Account | undefined> {
      const row = await q
        .selectFrom('local_account')
        .select(columns)
        .where('user_id', '=', userId)
        .forUpdate()
        .executeTakeFirst()
      return row && toAccount(row)
    },

    async setPassword(userId: string, passwordHash: string, now: Date): Promise<void> {
      await q
        .updateTable('local_account')
        .set({ password_hash: passwordHash, updated_at: now })
        .where('user_id', '=', userId)
        .execute()
    },

    async delete(userId: string): Promise<void> {
      await q.deleteFrom('local_account').where('user_id', '=', userId).execute()
    },

    /**
     * Advisory lock until the transaction ends: serialises sign-ups that may create the first
     * account.
     */
    async lockFirst(): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtextextended('accounts.first', 0))`.execute(q)
    },
  }
}

function createResetQueries(q: Kysely<AccountTables>) {
  return {
    async insert(tokenHash: string, reset: Reset, now: Date): Promise<void> {
      await q
        .insertInto('password_reset')
        .values({
          token_hash: tokenHash,
          user_id: reset.userId,
          created_at: now,
          expires_at: reset.expiresAt,
        })
        .execute()
    },

    async find(tokenHash: string): Promise<Reset | undefined> {
      const row = await q
        .selectFrom('password_reset')
        .select(['user_id', 'expires_at'])
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      return row && { userId: row.user_id, expiresAt: row.expires_at }
    },

    async count(userId: string): Promise<number> {
      const row = await q
        .selectFrom('password_reset')
        .select(sql<number>`count(*)`.as('total'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return row.total
    },

    async deleteOfUser(userId: string): Promise<void> {
      await q.deleteFrom('password_reset').where('user_id', '=', userId).execute()
    },

    async deleteEndedBefore(time: Date, userId?: string): Promise<number> {
      let rows = q.deleteFrom('password_reset').where('expires_at', '<=', time)
      if (userId !== undefined) rows = rows.where('user_id', '=', userId)
      return Number((await rows.executeTakeFirst()).numDeletedRows)
    },
  }
}

function toAccount(row: { user_id: string; email: string; password_hash: string }): Account {
  return { userId: row.user_id, email: row.email, passwordHash: row.password_hash }
}
