import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createSession } from '../database/session.ts'
import { isLockTimeout } from '../kernel/db.ts'

type Migration = { name: string; checksum: string; sql: string }

/** An arbitrary number; every node that migrates this database uses the same one. */
const ADVISORY_LOCK = 7_460_318_201
/** Longer than any migration takes that a node could usefully wait for. */
const LOCK_MS_MAX = 120_000

export type MigrateOptions = {
  connectionString: string
  dir: string
  /** The name of the session in pg_stat_activity, for nodes that wait. */
  name?: string | undefined
  /** The last migration to apply; all by default. For loading data of an older version. */
  upTo?: string | undefined
  /** How long to wait for another node that is migrating. */
  lockMsMax?: number | undefined
  onApplied?(name: string): void
}

/**
 * Applies pending migrations, each file in its own transaction, one node at a time. Refuses a
 * database that is newer than this program or whose applied files were edited afterwards.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { upTo, lockMsMax = LOCK_MS_MAX } = options
  const migrations = await readMigrations(options.dir)
  const isPending = ({ name }: Migration, applied: Applied) =>
    !applied.has(name) && (upTo === undefined || name <= upTo)
  await onSession(options, async (client) => {
    const before = (await hasTable(client)) ? await readApplied(client) : new Map<string, string>()
    assertSameHistory(migrations, before)
    for (const migration of migrations.filter((one) => isPending(one, before))) {
      const isApplied = await inTransaction(client, async () => {
        await lock(client, lockMsMax)
        // Another node may have applied it in the meantime.
        const applied = await readApplied(client)
        assertSameHistory(migrations, applied)
        if (!isPending(migration, applied)) return false
        await apply(client, migration)
        return true
      })
      if (isApplied) options.onApplied?.(migration.name)
    }
  })
}

/** Whether any migration was ever applied. */
export async function isMigrated(connectionString: string): Promise<boolean> {
  return onSession({ connectionString }, hasTable)
}

async function onSession<T>(
  {
    connectionString,
    name = 'touchstone migrate',
  }: { connectionString: string; name?: string | undefined },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = createSession(connectionString, { name })
  // A lost connection also fails the statement in progress, which reports it.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Behind a pooler in transaction mode, statements share a session only within a transaction. */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (err) {
    // Fails if the connection was lost, which ended the transaction.
    await client.query('rollback').catch(() => undefined)
    throw err
  }
}

/** Until the end of the transaction. Fails with a message that names the holder. */
async function lock(client: pg.Client, msMax: number): Promise<void> {
  await client.query(`savepoint locked; set local lock_timeout = ${msMax}`)
  try {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
  } catch (err) {
    if (!isLockTimeout(err)) throw err
    await client.query('rollback to savepoint locked')
    throw new Error(await describeHolder(client, msMax), { cause: err })
  }
  // The migration itself waits as long as the database lets it.
  await client.query(`set local lock_timeout to default;
    create table if not exists schema_migration (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
}

async function describeHolder(client: pg.Client, msMax: number): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; since: Date | null }>(
    `select a.pid, a.application_name as name, a.xact_start as since
     from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1
       and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32) + l.objid::bigint = $1`,
    [ADVISORY_LOCK],
  )
  const waited = `The database is being migrated by another process, for which this one waited ${msMax / 1000} s`
  const [holder] = rows
  if (holder === undefined) return `${waited}. Start again.`
  const { pid, name, since } = holder
  return `${waited}: pid ${pid} (${name === '' ? 'without a name' : name})${since === null ? '' : `, since ${since.toISOString()}`}. Start again when it has ended. If it hangs, end it: select pg_terminate_backend(${pid})`
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(dir, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function hasTable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select to_regclass('schema_migration') as found")
  return rows[0]?.found !== null
}

/** The checksums of applied migrations by name. */
type Applied = ReadonlyMap<string, string>

async function readApplied(client: pg.Client): Promise<Applied> {
  const rows = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migration',
  )
  return new Map(rows.rows.map((row) => [row.name, row.checksum]))
}

function assertSameHistory(migrations: readonly Migration[], applied: Applied): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const [name, checksum] of applied) {
    const expected = known.get(name)
    if (expected === undefined) {
      throw new Error(
        `The database has migration ${name}, which this version does not know. Run the newer version.`,
      )
    }
    if (expected !== checksum) {
      throw new Error(`Migration ${name} was changed after it was applied to this database.`)
    }
  }
}

/** In the transaction that has the lock. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migration (name, checksum) values ($1, $2)', [
      migration.name,
      migration.checksum,
    ])
  } catch (err) {
    throw new Error(`Migration ${migration.name} failed: ${String(err)}`, { cause: err })
  }
}
