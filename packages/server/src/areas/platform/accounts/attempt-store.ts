import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Failures } from './back-off.ts'

/** Tables this feature owns. Nobody else reads or writes them. */
type AttemptTables = {
  sign_in_failure: { subject_hash: string; failures: number; failed_at: Date }
  known_address: { account_hash: string; address_hash: string; expires_at: Date }
}

/** Keyed hashes of an account and of the network of a client. */
export type Place = { accountHash: string; addressHash: string }

export function createAttemptStore(db: Db) {
  const q = db.withTables<AttemptTables>()
  return {
    /** Advisory locks until the transaction ends: attempts of a subject are counted one by one. */
    async lock(subjects: readonly string[]): Promise<void> {
      // Sorted, so that two attempts cannot deadlock.
      for (const subject of [...subjects].sort()) {
        await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(q)
      }
    },

    async failures(subjects: readonly string[]): Promise<Map<string, Failures>> {
      const rows = await q
        .selectFrom('sign_in_failure')
        .selectAll()
        .where('subject_hash', 'in', [...subjects])
        .execute()
      return new Map(
        rows.map((row) => [row.subject_hash, { count: row.failures, lastAt: row.failed_at }]),
      )
    },

    async save(subject: string, { count, lastAt }: Failures): Promise<void> {
      await q
        .insertInto('sign_in_failure')
        .values({ subject_hash: subject, failures: count, failed_at: lastAt })
        .onConflict((conflict) =>
          conflict.column('subject_hash').doUpdateSet({ failures: count, failed_at: lastAt }),
        )
        .execute()
    },

    async clear(subject: string): Promise<void> {
      await q.deleteFrom('sign_in_failure').where('subject_hash', '=', subject).execute()
    },

    /** Takes back an attempt that was counted and then succeeded. */
    async takeBack(subject: string): Promise<void> {
      await q
        .updateTable('sign_in_failure')
        .set((row) => ({ failures: row('failures', '-', 1) }))
        .where('subject_hash', '=', subject)
        .where('failures', '>', 0)
        .execute()
    },

    async isKnown(place: Place, now: Date): Promise<boolean> {
      const row = await q
        .selectFrom('known_address')
        .select('expires_at')
        .where('account_hash', '=', place.accountHash)
        .where('address_hash', '=', place.addressHash)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row !== undefined
    },

    async remember(place: Place, expiresAt: Date): Promise<void> {
      await q
        .insertInto('known_address')
        .values({
          account_hash: place.accountHash,
          address_hash: place.addressHash,
          expires_at: expiresAt,
        })
        .onConflict((conflict) =>
          conflict.columns(['account_hash', 'address_hash']).doUpdateSet({ expires_at: expiresAt }),
        )
        .execute()
    },

    async forgetAddresses(accountHash: string): Promise<void> {
      await q.deleteFrom('known_address').where('account_hash', '=', accountHash).execute()
    },

    async deleteFailuresBefore(time: Date): Promise<number> {
      const deleted = await q
        .deleteFrom('sign_in_failure')
        .where('failed_at', '<=', time)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },

    async deleteAddressesEndedBefore(time: Date): Promise<number> {
      const deleted = await q
        .deleteFrom('known_address')
        .where('expires_at', '<=', time)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },
  }
}
