import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

type LeaseTables = {
  relayer_lease: { name: string; holder: string; expires_at: Date }
  relayer_key: { chain_id: number; key_sealed: string; created_at: Date }
  relayer_alert: { raised_on: string; reason: string }
}

const LEASE_S = 15

/** Leases use the database's clock, because the clocks of nodes can differ. */
export function createLeases(db: Db) {
  const q = db.withTables<LeaseTables>()
  return {
    async takeLease(name: string, holder: string): Promise<boolean> {
      const taken = await sql`insert into relayer_lease as lease (name, holder, expires_at)
        values (${name}, ${holder}, clock_timestamp() + make_interval(secs => ${LEASE_S}))
        on conflict (name) do update
          set holder = excluded.holder, expires_at = excluded.expires_at
          where lease.holder = excluded.holder or lease.expires_at < clock_timestamp()`.execute(q)
      return Number(taken.numAffectedRows ?? 0) === 1
    },

    /** Locks the lease until the transaction ends. False if another process holds it. */
    async holdLease(name: string, holder: string): Promise<boolean> {
      const held = await sql`select 1 from relayer_lease where name = ${name}
        and holder = ${holder} and expires_at > clock_timestamp() for update`.execute(q)
      return held.rows.length === 1
    },

    async releaseLease(name: string, holder: string): Promise<void> {
      await q
        .deleteFrom('relayer_lease')
        .where('name', '=', name)
        .where('holder', '=', holder)
        .execute()
    },
  }
}

export function createKeysAndAlerts(db: Db) {
  const q = db.withTables<LeaseTables>()
  return {
    async findKey(chainId: number): Promise<string | undefined> {
      const row = await q
        .selectFrom('relayer_key')
        .select('key_sealed')
        .where('chain_id', '=', chainId)
        .executeTakeFirst()
      return row?.key_sealed
    },

    /** Keeps an existing key. */
    async addKey(chainId: number, keySealed: string, now: Date): Promise<void> {
      await q
        .insertInto('relayer_key')
        .values({ chain_id: chainId, key_sealed: keySealed, created_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** False if it was already raised that day. */
    async raiseAlert(day: string, reason: string): Promise<boolean> {
      const raised = await q
        .insertInto('relayer_alert')
        .values({ raised_on: day, reason })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(raised.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async purgeAlerts(before: Date): Promise<number> {
      const gone = await sql`delete from relayer_alert
        where raised_on < ${before.toISOString().slice(0, 10)}::date`.execute(q)
      return Number(gone.numAffectedRows ?? 0)
    },
  }
}
