import type { Db } from '../../../kernel/db.ts'

/** The table this feature owns. Nobody else reads or writes it. */
type KeyTables = {
  signing_key: {
    kid: string
    public_jwk: unknown
    private_sealed: string
    created_at: Date
    retired_at: Date | null
  }
}

/** The public key, as it is published in the JWKS. */
export type PublicKey = {
  kid: string
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  alg: 'EdDSA'
  use: 'sig'
}

export type StoredKey = { publicKey: PublicKey; privateSealed: string }

export function createKeyStore(db: Db) {
  const q = db.withTables<KeyTables>()
  return {
    /**
     * Returns false if there is a current key already, even one another node inserts concurrently.
     */
    async insertCurrent(key: StoredKey, now: Date): Promise<boolean> {
      const result = await q
        .insertInto('signing_key')
        .values({
          kid: key.publicKey.kid,
          public_jwk: JSON.stringify(key.publicKey),
          private_sealed: key.privateSealed,
          created_at: now,
          retired_at: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(result.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async findCurrent(): Promise<StoredKey | undefined> {
      const row = await q
        .selectFrom('signing_key')
        .select(['public_jwk', 'private_sealed'])
        .where('retired_at', 'is', null)
        .executeTakeFirst()
      return row && { publicKey: toPublic(row.public_jwk), privateSealed: row.private_sealed }
    },

    /** Newest first: the current one and those retired after the given time. */
    async listPublic(retiredAfter: Date): Promise<PublicKey[]> {
      const rows = await q
        .selectFrom('signing_key')
        .select('public_jwk')
        .where((row) =>
          row.or([row('retired_at', 'is', null), row('retired_at', '>', retiredAfter)]),
        )
        .orderBy('created_at', 'desc')
        .orderBy('kid')
        .execute()
      return rows.map((row) => toPublic(row.public_jwk))
    },

    async findPublic(kid: string, retiredAfter: Date): Promise<PublicKey | undefined> {
      const row = await q
        .selectFrom('signing_key')
        .select('public_jwk')
        .where('kid', '=', kid)
        .where((row) =>
          row.or([row('retired_at', 'is', null), row('retired_at', '>', retiredAfter)]),
        )
        .executeTakeFirst()
      return row && toPublic(row.public_jwk)
    },

    async retireCurrent(now: Date): Promise<void> {
      await q
        .updateTable('signing_key')
        .set({ retired_at: now })
        .where('retired_at', 'is', null)
        .execute()
    },

    async deleteRetiredBefore(time: Date): Promise<number> {
      const deleted = await q
        .deleteFrom('signing_key')
        .where('retired_at', '<=', time)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },
  }
}

function toPublic(jwk: unknown): PublicKey {
  return jwk as PublicKey
}
