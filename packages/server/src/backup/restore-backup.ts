import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createSession } from '../database/session.ts'
import { type BackupFile, checkBackupFile } from './backup-file.ts'
import {
  beginTransaction,
  isDatabaseError,
  listMigrations,
  listTables,
  lockTables,
  type Migration,
  quoteColumns,
  quoteName,
  type Table,
} from './catalogue.ts'
import type { BackupHeader, Frame, TableProgress } from './format.ts'
import type { BackupSummary } from './write-backup.ts'

/** All migrations on an empty database take seconds; an upgrade happens days later. */
const ONE_RUN_MS_MAX = 10 * 60_000

/** A PostgreSQL error code (appendix A of its manual). */
const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Loads a backup into a database with the schema and no data: the caller has run the migrations
 * named in the backup. All or nothing: the file is verified before the database is touched, and
 * everything happens in one transaction.
 */
export async function restoreBackup(options: {
  connectionString: string
  file: string
  onProgress?: ((progress: TableProgress) => void) | undefined
}): Promise<BackupSummary> {
  const handle = await open(options.file, 'r')
  const client = createSession(options.connectionString, { name: 'touchstone restore' })
  client.on('error', () => undefined)
  try {
    const backup = await checkBackupFile(handle)
    await client.connect()
    await beginTransaction(client, 'READ WRITE')
    await prepareTarget(client, backup.header)
    const tables = await loadTables(client, backup, options.onProgress ?? (() => undefined))
    await setSequences(client, backup.header.sequences)
    await client.query('COMMIT')
    // Plans would be poor until autovacuum runs, and it never analyses partitioned parents.
    await client.query('ANALYZE')
    return { header: backup.header, tables, fileBytes: backup.fileBytes }
  } finally {
    // Without a COMMIT this rolls back.
    await client.end()
    await handle.close()
  }
}

async function prepareTarget(client: pg.Client, header: BackupHeader): Promise<void> {
  const migrations = await listMigrations(client)
  requireMigrations(
    header.migrations,
    migrations.map(({ name }) => name),
  )
  const tables = await listTables(client)
  requireTables(header.tables, tables)
  if (tables.length === 0) return

  await disableTriggers(client)
  await client.query("SET LOCAL synchronous_commit = 'on'")
  await lockTables(client, tables, 'ACCESS EXCLUSIVE')
  await requireEmpty(client, tables, migrations)
  await client.query(`TRUNCATE ${tables.map(({ name }) => quoteName(name)).join(', ')}`)
}

function requireMigrations(needed: string[], applied: string[]): void {
  const missing = needed.filter((name) => !applied.includes(name))
  const extra = applied.filter((name) => !needed.includes(name))
  if (missing.length === 0 && extra.length === 0) return
  const parts = [
    ...(missing.length > 0 ? [`the database lacks the migrations ${missing.join(', ')}`] : []),
    ...(extra.length > 0 ? [`the backup was made before ${extra.join(', ')}`] : []),
  ]
  throw new Error(
    `The backup is of another release: ${parts.join('; ')}. ` +
      'Restore it with the release that wrote it, then upgrade.',
  )
}

/** Equal migrations make equal tables, unless somebody altered them by hand. */
function requireTables(needed: BackupHeader['tables'], present: Table[]): void {
  const columnsOf = new Map(present.map(({ name, columns }) => [name, columns]))
  for (const { name, columns } of needed) {
    const found = columnsOf.get(name)
    if (found === undefined) throw new Error(`The database lacks the table ${name} of the backup.`)
    const lacking = columns.filter((column) => !found.includes(column))
    if (lacking.length > 0) {
      throw new Error(
        `The table ${name} of the database lacks the columns ${lacking.join(', ')} of the backup.`,
      )
    }
  }
}

/**
 * A row is the schema's own when a migration inserted it, that is, when the transaction that
 * wrote the row also wrote a line of schema_migration. Any other row is somebody's data. An
 * upgrade may have rewritten data, too: when the migrations ran at different times, no row is
 * the schema's own.
 *
 * INVARIANT: the migration runner records a migration in the migration's own transaction. Should
 * it not, a fresh database is refused here; data is never taken for the schema's own.
 */
async function requireEmpty(
  client: pg.Client,
  tables: Table[],
  migrations: Migration[],
): Promise<void> {
  const times = migrations.map(({ appliedAt }) => appliedAt.getTime())
  const isOneRun = Math.max(...times) - Math.min(...times) < ONE_RUN_MS_MAX
  const transactions = isOneRun ? migrations.map(({ transaction }) => transaction) : []
  const filled: string[] = []
  for (const { name } of tables) {
    const { rowCount } = await client.query(
      `SELECT 1 FROM ${quoteName(name)} WHERE xmin::text <> ALL ($1::text[]) LIMIT 1`,
      [transactions],
    )
    if (rowCount !== 0) filled.push(name)
  }
  if (filled.length === 0) return
  throw new Error(
    `The database is not empty (${filled.join(', ')}). Restore into a new one: a backup replaces ` +
      'nothing.',
  )
}

/**
 * Foreign keys are triggers too: without them tables load in any order, and insert-only guards
 * stay silent.
 */
async function disableTriggers(client: pg.Client): Promise<void> {
  try {
    await client.query('SET LOCAL session_replication_role = replica')
  } catch (cause) {
    if (!isDatabaseError(cause, INSUFFICIENT_PRIVILEGE)) throw cause
    throw new Error(
      'The database user may not switch off triggers, which a restore needs. Restore as a ' +
        'superuser, or (PostgreSQL 15 and later) run as one: ' +
        'GRANT SET ON PARAMETER session_replication_role TO the user.',
      { cause },
    )
  }
}

async function loadTables(
  client: pg.Client,
  backup: BackupFile,
  report: (progress: TableProgress) => void,
): Promise<TableProgress[]> {
  const frames = backup.frames()
  const done: TableProgress[] = []
  for (const table of backup.header.tables) {
    const list = table.columns.length > 0 ? `(${quoteColumns(table.columns)})` : ''
    const copy = client.query(copyFrom(`COPY ${quoteName(table.name)} ${list} FROM STDIN`))
    const ends: TableProgress[] = []
    await pipeline(
      Readable.from(
        tableData(frames, (end) => ends.push(end)),
        { objectMode: false },
      ),
      copy,
    )
    const [end] = ends
    if (end?.table !== table.name || end.rows !== copy.rowCount) {
      throw new Error(
        `The backup holds ${end?.rows} rows of ${end?.table}; ${copy.rowCount} arrived in ` +
          `${table.name}. Nothing was restored.`,
      )
    }
    done.push(end)
    report(end)
  }
  // Reads to the end of the file, where its checksum is verified again.
  const { done: atEnd } = await frames.next()
  if (atEnd !== true) throw new Error('The backup holds more tables than its header names.')
  return done
}

async function* tableData(
  frames: AsyncGenerator<Frame>,
  onEnd: (end: TableProgress) => void,
): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await frames.next()
    if (done === true) throw new Error('The backup ends in the middle of a table.')
    if (value.type === 'E') return onEnd(value.end)
    yield value.data
  }
}

async function setSequences(
  client: pg.Client,
  sequences: BackupHeader['sequences'],
): Promise<void> {
  for (const { name, last_value, is_called } of sequences) {
    // setval alone would survive a rollback; after RESTART it writes to a new file of this
    // transaction.
    await client.query(`ALTER SEQUENCE ${quoteName(name)} RESTART`)
    await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [
      quoteName(name),
      last_value,
      is_called,
    ])
  }
}
