import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

type Migration = { name: string; checksum: string; sql: string }

/** An arbitrary number; every node that migrates this database uses the same one. */
const ADVISORY_LOCK = 7_460_318_201

/**
 * Applies pending migrations, each file in its own transaction, one node at a time. Refuses a
 * database that is newer than this program or whose applied files were edited afterwards.
 */
export async function migrate(options: {
  connectionString: string
  dir: string
  /** The last migration to apply; all by default. For loading data of an older version. */
  upTo?: string | undefined
  onApplied?(name: string): void
}): Promise<void> {
  const { upTo } = options
  const migrations = await readMigrations(options.dir)
  const client = new pg.Client({ connectionString: options.connectionString })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    const applied = await readApplied(client)
    assertSameHistory(migrations, applied)
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue
      if (upTo !== undefined && migration.name > upTo) break
      await apply(client, migration)
      options.onApplied?.(migration.name)
    }
  } finally {
    await client.end()
  }
}

/** Whether any migration was ever applied. */
export async function isMigrated(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query("select to_regclass('schema_migration') as found")
    return rows[0]?.found !== null
  } finally {
    await client.end()
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

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  await client.query(`create table if not exists schema_migration (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  const rows = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migration',
  )
  return new Map(rows.rows.map((row) => [row.name, row.checksum]))
}

function assertSameHistory(migrations: Migration[], applied: Map<string, string>): void {
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

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migration (name, checksum) values ($1, $2)', [
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (err) {
    await client.query('rollback')
    throw new Error(`Migration ${migration.name} failed: ${String(err)}`, { cause: err })
  }
}
