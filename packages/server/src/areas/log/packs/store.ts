import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Framework, Pack, PackStatus } from './pack.ts'

type PackRow = {
  pack_id: string
  org_id: string
  requested_by: string
  period_from: Date
  period_to: Date
  frameworks: string[]
  status: string
  progress: number
  error: string | null
  bytes: number | null
  sha256: string | null
  created_at: Date
  expires_at: Date
}

export function createPackStore(db: Db) {
  return {
    /** Throws a unique violation while another pack of the organisation is in progress. */
    async insert(pack: Pack): Promise<void> {
      await sql`insert into log_pack (pack_id, org_id, requested_by, period_from, period_to,
          frameworks, status, created_at, expires_at)
        values (${pack.packId}, ${pack.orgId}, ${pack.requestedBy}, ${pack.from}, ${pack.to},
          ${pack.frameworks}, ${pack.status}, ${pack.createdAt}, ${pack.expiresAt})`.execute(db)
    },

    async find(orgId: string, packId: string): Promise<Pack | undefined> {
      const found = await sql<PackRow>`select * from log_pack
        where pack_id = ${packId} and org_id = ${orgId}`.execute(db)
      return found.rows.map(toPack)[0]
    },

    /** Newest first. */
    async list(orgId: string): Promise<Pack[]> {
      const found = await sql<PackRow>`select * from log_pack
        where org_id = ${orgId} order by created_at desc, pack_id`.execute(db)
      return found.rows.map(toPack)
    },

    /** Starts from the beginning, after a crash as well. Undefined if there is nothing to build. */
    async begin(packId: string): Promise<Pack | undefined> {
      const found = await sql<PackRow>`update log_pack set status = 'running', progress = 0
        where pack_id = ${packId} and status in ('queued', 'running') returning *`.execute(db)
      await sql`delete from log_pack_part where pack_id = ${packId}`.execute(db)
      return found.rows.map(toPack)[0]
    },

    async setProgress(packId: string, progress: number): Promise<void> {
      await sql`update log_pack set progress = ${progress}
        where pack_id = ${packId} and status = 'running'`.execute(db)
    },

    /** Fails if the pack was erased in the meantime. */
    async insertPart(packId: string, part: number, content: Uint8Array): Promise<void> {
      await sql`insert into log_pack_part (pack_id, part, content)
        values (${packId}, ${part}, ${content})`.execute(db)
    },

    async findPart(packId: string, part: number): Promise<Uint8Array | undefined> {
      const found = await sql<{ content: Buffer }>`select content from log_pack_part
        where pack_id = ${packId} and part = ${part}`.execute(db)
      return found.rows[0]?.content
    },

    async finish(
      packId: string,
      done: { bytes: number; sha256: string; expiresAt: Date },
    ): Promise<void> {
      await sql`update log_pack set status = 'ready', progress = 100, bytes = ${done.bytes},
          sha256 = ${done.sha256}, expires_at = ${done.expiresAt}
        where pack_id = ${packId}`.execute(db)
    },

    async fail(packId: string, error: string): Promise<void> {
      await sql`update log_pack set status = 'failed', error = ${error}
        where pack_id = ${packId}`.execute(db)
      await sql`delete from log_pack_part where pack_id = ${packId}`.execute(db)
    },

    /** All but the newest of an organisation. */
    async deleteOldest(orgId: string, kept: number): Promise<void> {
      await sql`delete from log_pack where pack_id in (
        select pack_id from log_pack where org_id = ${orgId} and status in ('ready', 'failed')
        order by created_at desc, pack_id offset ${kept})`.execute(db)
    },

    async deleteExpired(now: Date, rowsMax: number): Promise<number> {
      const gone = await sql`delete from log_pack where pack_id in (
        select pack_id from log_pack where expires_at <= ${now}
        limit ${rowsMax})`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from log_pack where org_id = ${orgId}`.execute(db)
    },
  }
}

function toPack(row: PackRow): Pack {
  return {
    packId: row.pack_id,
    orgId: row.org_id,
    requestedBy: row.requested_by,
    from: row.period_from,
    to: row.period_to,
    // The casts are safe: `insert` is the only writer of frameworks, and a constraint names the states.
    frameworks: row.frameworks as Framework[],
    status: row.status as PackStatus,
    progress: row.progress,
    error: row.error,
    bytes: row.bytes,
    sha256: row.sha256,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
