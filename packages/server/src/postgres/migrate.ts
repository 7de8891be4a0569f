import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createSession } from '../database/session.ts'
import { lockMigrations } from './migration-lock.ts'
import { isOlder, parseRelease, versionOfSession, worksBeside } from './releases.ts'

type Migration = { name: string; checksum: string; sql: string }

/** Longer than any migration takes that a node could usefully wait for. */
const LOCK_MS_MAX = 120_000

export type MigrateOptions = {
  connectionString: string
  dir: string
  /** The version of this program. Without it, every migration of the database must be known. */
  version?: string | undefined
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
 * database that a release beyond the next one has migrated or whose applied files were edited
 * afterwards, and to migrate while nodes of a release before the last one are connected.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { upTo, lockMsMax = LOCK_MS_MAX } = options
  const migrations = await readMigrations(options.dir)
  const isPending = ({ name }: Migration, applied: Applied) =>
    !applied.has(name) && (upTo === undefined || name <= upTo)
  await onSession(options, async (client) => {
    const before = await readApplied(client)
    assertCompatible(migrations, before, options.version)
    const pending = migrations.filter((one) => isPending(one, before))
    if (pending.length > 0) await assertNoOldNodes(client, options.version)
    for (const migration of pending) {
      const isApplied = await inTransaction(client, async () => {
        await lockMigrations(client, lockMsMax)
        // Another node may have applied it in the meantime.
        const applied = await readApplied(client)
        assertCompatible(migrations, applied, options.version)
        if (!isPending(migration, applied)) return false
        await (isConcurrent(migration)
          ? applyConcurrently(options, migration)
          : apply(client, migration))
        await record(client, migration, options.version)
        return true
      })
      if (isApplied) options.onApplied?.(migration.name)
    }
  })
}

/** The names of migrations that `migrate` would apply, in order. */
export async function listPending(options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(options.dir)
  return onSession(options, async (client) => {
    const applied = await readApplied(client)
    assertCompatible(migrations, applied, options.version)
    return migrations.map(({ name }) => name).filter((name) => !applied.has(name))
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

/** Applied migrations by name, with the version of the program that applied each, if known. */
type Applied = ReadonlyMap<string, { checksum: string; version: string | undefined }>

async function readApplied(client: pg.Client): Promise<Applied> {
  if (!(await hasTable(client))) return new Map()
  const { rows } = await client.query<{ name: string; checksum: string; version: string | null }>(
    `select name, checksum, to_jsonb(m) ->> 'version' as version from schema_migration m`,
  )
  return new Map(
    rows.map(({ name, checksum, version }) => [name, { checksum, version: version ?? undefined }]),
  )
}

function assertCompatible(
  migrations: readonly Migration[],
  applied: Applied,
  version: string | undefined,
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const [name, { checksum, version: appliedBy }] of applied) {
    const expected = known.get(name)
    if (expected === undefined) assertNextRelease(name, appliedBy, version)
    else if (expected !== checksum) {
      throw new Error(`Migration ${name} was changed after it was applied to this database.`)
    }
  }
}

/** A migration that this program does not know is fine if it is of the next release. */
function assertNextRelease(
  name: string,
  appliedBy: string | undefined,
  version: string | undefined,
): void {
  const [theirs, ours] = [parseRelease(appliedBy ?? ''), parseRelease(version ?? '')]
  if (theirs !== undefined && ours !== undefined && worksBeside(theirs, ours)) return
  const by = appliedBy === undefined ? '' : ` of version ${appliedBy}`
  throw new Error(
    `The database has migration ${name}${by}, which this version${version === undefined ? '' : `, ${version},`} does not know. Run the newer version, or the one before it.`,
  )
}

/** Nodes that are too old to work with the new tables must be stopped first. */
async function assertNoOldNodes(client: pg.Client, version: string | undefined): Promise<void> {
  const ours = parseRelease(version ?? '')
  if (ours === undefined) return
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() order by name`,
  )
  const old = rows.filter(({ name }) => {
    const theirs = parseRelease(versionOfSession(name) ?? '')
    return theirs !== undefined && isOlder(theirs, ours) && !worksBeside(theirs, ours)
  })
  if (old.length === 0) return
  throw new Error(
    `The database cannot be migrated to version ${version} while older nodes than those of the release before are connected: ${old.map(({ name }) => name).join('; ')}. Upgrade them one release at a time, or stop them. Nothing was changed`,
  )
}

/** In the transaction that has the lock. */
async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query(sql).catch((err: unknown) => {
    throw new Error(`Migration ${name} failed: ${String(err)}`, { cause: err })
  })
}

/** The second line of a file with a single CREATE INDEX CONCURRENTLY, which allows no transaction. */
const CONCURRENT = /^--.*\n-- concurrently\n/
const INDEX_NAME = /create (?:unique )?index concurrently (\w+)/

function isConcurrent({ sql }: Migration): boolean {
  return CONCURRENT.test(sql)
}

/** On a second session, while the first one has the lock. An index that failed half-way is replaced. */
async function applyConcurrently(options: MigrateOptions, migration: Migration): Promise<void> {
  const [, index] = INDEX_NAME.exec(migration.sql) ?? []
  if (index === undefined) throw new Error(`Migration ${migration.name} creates no index.`)
  await onSession(options, async (client) => {
    await client.query(`drop index concurrently if exists ${index}`)
    await apply(client, migration)
  })
}

async function record(
  client: pg.Client,
  { name, checksum }: Migration,
  version: string | undefined,
): Promise<void> {
  await client.query('insert into schema_migration (name, checksum, version) values ($1, $2, $3)', [
    name,
    checksum,
    version ?? null,
  ])
}
