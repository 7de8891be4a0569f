import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject } from 'vitest'
import { createDatabase, type Database, type Db } from '../../packages/server/src/kernel/db.ts'
import { createNotices, type Notices } from '../../packages/server/src/kernel/notices.ts'
import { atEnd } from './at-end.ts'
import { eventually } from './eventually.ts'

/** Longer than any machine stands still. */
export const STILL_MS_MAX = 60_000

/** The address of a fresh database with the current schema; dropped when the file is done. */
export async function freshDatabaseUrl(): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await asAdmin(`create database ${name} ${inject('fromTemplate')}`)
  atEnd(() => asAdmin(`drop database if exists ${name} with (force)`))
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return url.href
}

/** A fresh database, opened. */
export async function testDatabase(): Promise<Database> {
  const connectionString = await freshDatabaseUrl()
  const database = createDatabase({
    connectionString,
    connectionsMax: 12,
    preparedStatements: true,
    connectMsMax: STILL_MS_MAX,
    onError: () => undefined,
  })
  atEnd(() => database.close())
  return database
}

/**
 * Waits until every transaction that writes now has ended. What the server still remembers for
 * the oldest of them depends on those of other files too: their databases share one server.
 */
export async function untilWritersEnded(db: Db): Promise<void> {
  const now = await sql<{ end: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as end`.execute(db)
  const end = now.rows[0]?.end
  await eventually(async () => {
    const ended = await sql<{ ended: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) >= ${end}::xid8 as ended`.execute(db)
    expect(ended.rows).toEqual([{ ended: true }])
  })
}

/** Word between nodes, over the given database. */
export async function testNotices(database: Database): Promise<Notices> {
  const notices = createNotices({
    connectionString: database.connectionString,
    onError: () => undefined,
  })
  await notices.start()
  atEnd(() => notices.stop())
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
