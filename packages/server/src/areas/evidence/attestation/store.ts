import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** The table this feature owns. Nobody else reads or writes it. */
type AttestationTables = {
  attestation_key: {
    key_id: string
    public_key: string
    seed_sealed: string | null
    created_at: Date
    retired_at: Date | null
  }
}

export type ActiveKey = { keyId: string; seedSealed: string }

export type NewKey = ActiveKey & { publicKeyHex: string; createdAt: Date }

/** The public half; it outlives the seed. */
export type KnownKey = {
  keyId: string
  publicKeyHex: string
  createdAt: Date
  /** Null for the active key. */
  retiredAt: Date | null
}

export function createAttestationStore(db: Db) {
  const q = db.withTables<AttestationTables>()
  return {
    /** Blocks other changes of keys until the transaction ends; reads go on. */
    async lock(): Promise<void> {
      await sql`lock table attestation_key in share row exclusive mode`.execute(db)
    },

    async findActive(): Promise<ActiveKey | undefined> {
      const row = await q
        .selectFrom('attestation_key')
        .select(['key_id', 'seed_sealed'])
        .where('retired_at', 'is', null)
        .where('seed_sealed', 'is not', null)
        .$narrowType<{ seed_sealed: string }>()
        .executeTakeFirst()
      return row && { keyId: row.key_id, seedSealed: row.seed_sealed }
    },

    /** The active key first, then newest first. */
    async list(): Promise<KnownKey[]> {
      const rows = await q
        .selectFrom('attestation_key')
        .select(['key_id', 'public_key', 'created_at', 'retired_at'])
        .orderBy(sql`retired_at is null`, 'desc')
        .orderBy('created_at', 'desc')
        .orderBy('key_id')
        .execute()
      return rows.map((row) => ({
        keyId: row.key_id,
        publicKeyHex: row.public_key,
        createdAt: row.created_at,
        retiredAt: row.retired_at,
      }))
    },

    /** A retired key becomes active again if its seed is configured again. */
    async insertActive(key: NewKey): Promise<void> {
      await q
        .insertInto('attestation_key')
        .values({
          key_id: key.keyId,
          public_key: key.publicKeyHex,
          seed_sealed: key.seedSealed,
          created_at: key.createdAt,
          retired_at: null,
        })
        .onConflict((conflict) =>
          conflict.column('key_id').doUpdateSet({ seed_sealed: key.seedSealed, retired_at: null }),
        )
        .execute()
    },

    async retireActive(now: Date): Promise<void> {
      await q
        .updateTable('attestation_key')
        .set({ retired_at: now, seed_sealed: null })
        .where('retired_at', 'is', null)
        .execute()
    },
  }
}
