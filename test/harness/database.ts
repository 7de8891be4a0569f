import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject } from 'vitest'
import { createDatabase, type Database } from '../../packages/server/src/database/database.ts'
import type { Db } from '../../packages/server/src/kernel/db.ts'
import { createNotices, type Notices } from '../../packages/server/src/kernel/notices.ts'
import { eventually } from './eventually.ts'
import { onFileFinished } from './on-file-finished.ts'

/** Longer than a loaded machine stalls. */
export const STALL_MS_MAX = 60_000

/** On a loaded machine a transaction may be idle for as long. */
export const STALLED_LIMITS = { idleInTransactionMs: STALL_MS_MAX, lockMs: STALL_MS_MAX }

/**
 * Creates a database with the current schema and returns its URL; dropped after the last test of
 * the file.
 */
export async function freshDatabaseUrl(): Promise<string> {
  return createDatabaseUrl(inject('fromTemplate'))
}

/** The same without a schema, for data of an older version. */
export async function emptyDatabaseUrl(): Promise<string> {
  return createDatabaseUrl('')
}

async function createDatabaseUrl(template: string): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await asAdmin(`create database ${name} ${template}`)
  onFileFinished(() => asAdmin(`drop database if exists ${name} with (force)`))
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return url.href
}

/** Opens a fresh database. */
export async function testDatabase(): Promise<Database> {
  const connectionString = await freshDatabaseUrl()
  const database = createDatabase({
    connectionString,
    connectionsMax: 12,
    preparedStatements: true,
    connectMsMax: STALL_MS_MAX,
    limits: STALLED_LIMITS,
    onError: () => undefined,
  })
  onFileFinished(() => database.close())
  return database
}

/**
 * Waits until every transaction that is writing now has ended. Transactions of other files count
 * too, because their databases share one server, whose oldest snapshot they hold.
 */
export async function waitForWriters(db: Db): Promise<void> {
  const now = await sql<{ end: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as end`.execute(db)
  const end = now.rows[0]?.end
  await eventually(async () => {
    const ended = await sql<{ ended: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) >= ${end}::xid8 as ended`.execute(db)
    expect(ended.rows).toEqual([{ ended: true }])
  })
}

/** Opens the LISTEN/NOTIFY channel between nodes on the given database. */
export async function testNotices(database: Database): Promise<Notices> {
  const notices = createNotices({
    connectionString: database.connectionString,
    onError: () => undefined,
  })
  await notices.start()
  onFileFinished(() => notices.stop())
  return notices
}

async function asAdmin(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}
