import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** Tables this feature owns. Nobody else reads or writes them. */
type SecondFactorTables = {
  second_factor: {
    user_id: string
    secret_sealed: string
    created_at: Date
    confirmed_at: Date | null
    last_step: number
  }
  recovery_code: { user_id: string; code_hash: string }
  sign_in_challenge: {
    token_hash: string
    user_id: string
    created_at: Date
    expires_at: Date
    attempts: number
  }
}

export type SecondFactor = { secretSealed: string; confirmedAt: Date | null; lastStep: number }

export type Challenge = { userId: string; expiresAt: Date; attempts: number }

export function createSecondFactorStore(db: Db) {
  const q = db.withTables<SecondFactorTables>()
  return {
    async find(userId: string): Promise<SecondFactor | undefined> {
      const row = await q
        .selectFrom('second_factor')
        .selectAll()
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row && toSecondFactor(row)
    },

    /** INVARIANT: codes are checked and used up only under this lock. */
    async lock(userId: string): Promise<SecondFactor | undefined> {
      const row = await q
        .selectFrom('second_factor')
        .selectAll()
        .where('user_id', '=', userId)
        .forUpdate()
        .executeTakeFirst()
      return row && toSecondFactor(row)
    },

    /** Replaces a secret that was not confirmed. */
    async save(userId: string, secretSealed: string, now: Date): Promise<void> {
      const fields = {
        secret_sealed: secretSealed,
        created_at: now,
        confirmed_at: null,
        last_step: 0,
      }
      await q
        .insertInto('second_factor')
        .values({ user_id: userId, ...fields })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fields))
        .execute()
    },

    async confirm(userId: string, now: Date): Promise<void> {
      await q
        .updateTable('second_factor')
        .set({ confirmed_at: now })
        .where('user_id', '=', userId)
        .execute()
    },

    async useStep(userId: string, step: number): Promise<void> {
      await q
        .updateTable('second_factor')
        .set({ last_step: step })
        .where('user_id', '=', userId)
        .execute()
    },

    /** Deletes the recovery codes with it. */
    async delete(userId: string): Promise<void> {
      await q.deleteFrom('second_factor').where('user_id', '=', userId).execute()
    },

    async replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void> {
      await q.deleteFrom('recovery_code').where('user_id', '=', userId).execute()
      const rows = hashes.map((hash) => ({ user_id: userId, code_hash: hash }))
      await q.insertInto('recovery_code').values(rows).execute()
    },

    /** False if there is no such code, or it was used. */
    async useRecoveryCode(userId: string, hash: string): Promise<boolean> {
      const deleted = await q
        .deleteFrom('recovery_code')
        .where('user_id', '=', userId)
        .where('code_hash', '=', hash)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows) === 1
    },

    async countRecoveryCodes(userId: string): Promise<number> {
      const row = await q
        .selectFrom('recovery_code')
        .select(sql<number>`count(*)`.as('total'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return row.total
    },

    async insertChallenge(
      tokenHash: string,
      challenge: { userId: string; createdAt: Date; expiresAt: Date },
    ): Promise<void> {
      await q
        .insertInto('sign_in_challenge')
        .values({
          token_hash: tokenHash,
          user_id: challenge.userId,
          created_at: challenge.createdAt,
          expires_at: challenge.expiresAt,
          attempts: 0,
        })
        .execute()
    },

    async findChallenge(tokenHash: string): Promise<Challenge | undefined> {
      const row = await q
        .selectFrom('sign_in_challenge')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      return row && { userId: row.user_id, expiresAt: row.expires_at, attempts: row.attempts }
    },

    /** Returns the attempts including this one, or undefined if the challenge is gone. */
    async countChallengeAttempt(tokenHash: string): Promise<number | undefined> {
      const row = await q
        .updateTable('sign_in_challenge')
        .set((challenge) => ({ attempts: challenge('attempts', '+', 1) }))
        .where('token_hash', '=', tokenHash)
        .returning('attempts')
        .executeTakeFirst()
      return row?.attempts
    },

    async deleteChallenge(tokenHash: string): Promise<void> {
      await q.deleteFrom('sign_in_challenge').where('token_hash', '=', tokenHash).execute()
    },

    async deleteChallengesOf(userId: string): Promise<void> {
      await q.deleteFrom('sign_in_challenge').where('user_id', '=', userId).execute()
    },

    async deleteChallengesEndedBefore(time: Date): Promise<number> {
      const deleted = await q
        .deleteFrom('sign_in_challenge')
        .where('expires_at', '<=', time)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },
  }
}

function toSecondFactor(row: SecondFactorTables['second_factor']): SecondFactor {
  return {
    secretSealed: row.secret_sealed,
    confirmedAt: row.confirmed_at,
    lastStep: row.last_step,
  }
}
