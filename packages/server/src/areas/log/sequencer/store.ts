import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** The name and the key of the log, which never change. */
export type Identity = {
  origin: string
  keyId: string
  publicKeyHex: string
  seedSealed: string
  createdAt: Date
  /** Why nothing is added to the log any more. */
  fault: string | null
}

/** Entries with an index that are in no checkpoint yet. */
export type Round = { firstIndex: number; pendingIds: readonly number[]; entries: Uint8Array }

/** A signed head of the log. */
export type StoredCheckpoint = { size: number; root: Uint8Array; note: string; createdAt: Date }

type IdentityRow = {
  origin: string
  key_id: string
  public_key: string
  seed_sealed: string
  created_at: Date
  fault: string | null
}
type RoundRow = { first_index: number; pending_ids: string[]; entries: Buffer }
type CheckpointRow = { size: number; root: Buffer; note: string; created_at: Date }

const LEASE_S = 15

export function createIdentityStore(db: Db) {
  return {
    async find(): Promise<Identity | undefined> {
      const found = await sql<IdentityRow>`select * from log_identity`.execute(db)
      return found.rows.map(toIdentity)[0]
    },

    /** Keeps an existing identity. */
    async insert(identity: Omit<Identity, 'fault'>): Promise<void> {
      await sql`insert into log_identity (origin, key_id, public_key, seed_sealed, created_at)
        values (${identity.origin}, ${identity.keyId}, ${identity.publicKeyHex},
          ${identity.seedSealed}, ${identity.createdAt})
        on conflict do nothing`.execute(db)
    },

    async setFault(fault: string | null): Promise<void> {
      await sql`update log_identity set fault = ${fault}
        where fault is distinct from ${fault}`.execute(db)
    },
  }
}

/** The lease uses the database's clock, because the clocks of nodes can differ. */
export function createLeaseStore(db: Db) {
  return {
    async take(holder: string): Promise<boolean> {
      const taken = await sql`insert into log_lease as lease (holder, expires_at)
        values (${holder}, clock_timestamp() + make_interval(secs => ${LEASE_S}))
        on conflict (singleton) do update
          set holder = excluded.holder, expires_at = excluded.expires_at
          where lease.holder = excluded.holder or lease.expires_at < clock_timestamp()`.execute(db)
      return Number(taken.numAffectedRows ?? 0) === 1
    },

    /** Locks the lease until the transaction ends. False if another process holds it. */
    async hold(holder: string): Promise<boolean> {
      const held = await sql`select from log_lease
        where holder = ${holder} and expires_at > clock_timestamp() for update`.execute(db)
      return held.rows.length === 1
    },

    async release(holder: string): Promise<void> {
      await sql`delete from log_lease where holder = ${holder}`.execute(db)
    },
  }
}

export function createRoundStore(db: Db) {
  return {
    async find(): Promise<Round | undefined> {
      const found = await sql<RoundRow>`
        select first_index, pending_ids, entries from log_round`.execute(db)
      return found.rows.map(toRound)[0]
    },

    async insert({ firstIndex, pendingIds, entries }: Round, now: Date): Promise<void> {
      await sql`insert into log_round (first_index, pending_ids, entries, sequenced_at)
        values (${firstIndex}, ${pendingIds}::bigint[], ${entries}, ${now})`.execute(db)
    },

    async delete(firstIndex: number): Promise<void> {
      await sql`delete from log_round where first_index = ${firstIndex}`.execute(db)
    },
  }
}

export function createCheckpointStore(db: Db) {
  return {
    async findNewest(): Promise<StoredCheckpoint | undefined> {
      const found = await sql<CheckpointRow>`
        select * from log_checkpoint order by size desc limit 1`.execute(db)
      return found.rows.map(toCheckpoint)[0]
    },

    async find(size: number): Promise<StoredCheckpoint | undefined> {
      const found = await sql<CheckpointRow>`
        select * from log_checkpoint where size = ${size}`.execute(db)
      return found.rows.map(toCheckpoint)[0]
    },

    /** The oldest that holds this many entries. */
    async findHolding(entries: number): Promise<StoredCheckpoint | undefined> {
      const found = await sql<CheckpointRow>`select * from log_checkpoint
        where size >= ${entries} order by size limit 1`.execute(db)
      return found.rows.map(toCheckpoint)[0]
    },

    /** Throws a unique violation if there is one of this size. */
    async insert({ size, root, note, createdAt }: StoredCheckpoint): Promise<void> {
      await sql`insert into log_checkpoint (size, root, note, created_at)
        values (${size}, ${root}, ${note}, ${createdAt})`.execute(db)
    },

    /** The size of the log at a time. */
    async sizeAt(time: Date): Promise<number> {
      const found = await sql<{ size: number | null }>`
        select max(size) as size from log_checkpoint where created_at <= ${time}`.execute(db)
      return found.rows[0]?.size ?? 0
    },

    /** The size of the oldest checkpoint since a time. */
    async sizeSince(time: Date): Promise<number | undefined> {
      const found = await sql<{ size: number | null }>`
        select min(size) as size from log_checkpoint where created_at >= ${time}`.execute(db)
      return found.rows[0]?.size ?? undefined
    },

    /** Keeps the last of each day, those after `before`, and those of `size` and more. */
    async deleteSuperseded(size: number, before: Date, rowsMax: number): Promise<number> {
      const gone = await sql`delete from log_checkpoint where size in (
        select c.size from log_checkpoint c
        where c.size < ${size} and c.created_at < ${before} and exists (
          select from log_checkpoint later where later.size > c.size
            and later.size < ${size}
            and later.created_at < ${before}
            and date_trunc('day', later.created_at, 'UTC') = date_trunc('day', c.created_at, 'UTC'))
        limit ${rowsMax})`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },
  }
}

function toIdentity(row: IdentityRow): Identity {
  return {
    origin: row.origin,
    keyId: row.key_id,
    publicKeyHex: row.public_key,
    seedSealed: row.seed_sealed,
    createdAt: row.created_at,
    fault: row.fault,
  }
}

function toRound(row: RoundRow): Round {
  return {
    firstIndex: row.first_index,
    // The driver parses bigint, but not arrays of it.
    pendingIds: row.pending_ids.map(Number),
    entries: row.entries,
  }
}

function toCheckpoint(row: CheckpointRow): StoredCheckpoint {
  return { size: row.size, root: row.root, note: row.note, createdAt: row.created_at }
}
