import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { createSession } from '../database/session.ts'
import { writeBackupFile } from './backup-file.ts'
import {
  beginTransaction,
  listMigrations,
  listSequences,
  listTables,
  lockTables,
  quoteColumns,
  quoteName,
  type Table,
} from './catalogue.ts'
import { type BackupHeader, encodeData, encodeEnd, type TableProgress } from './format.ts'

export type BackupSummary = { header: BackupHeader; tables: TableProgress[]; fileBytes: number }

/**
 * Writes all data of the database to one file, from one snapshot. The service can keep running.
 * Memory use is independent of the size of the data.
 */
export async function writeBackup(options: {
  connectionString: string
  file: string
  /** The creation time stated in the backup. */
  now: Date
  onProgress?: ((progress: TableProgress) => void) | undefined
}): Promise<BackupSummary> {
  const client = createSession(options.connectionString, { name: 'touchstone backup' })
  // A lost connection also fails the statement in progress, which reports it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const tables = await takeSnapshot(client)
    const header = await describe(client, tables, options.now)
    const done: TableProgress[] = []
    const frames = readTables(client, tables, (progress) => {
      done.push(progress)
      options.onProgress?.(progress)
    })
    const fileBytes = await writeBackupFile(options.file, header, frames)
    return { header, tables: done, fileBytes }
  } finally {
    // During a COPY this closes the connection, which also ends the transaction.
    await client.end()
  }
}

/**
 * Locks before taking the snapshot: TRUNCATE ignores snapshots, so one in between would leave an
 * empty table in the backup. LOCK itself takes no snapshot.
 */
async function takeSnapshot(client: pg.Client): Promise<Table[]> {
  const before = await listTables(client)
  await beginTransaction(client, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await lockTables(client, before, 'ACCESS SHARE')
  const tables = await listTables(client)
  if (JSON.stringify(tables) !== JSON.stringify(before)) {
    throw new Error('The tables changed while the backup began: try again after the upgrade.')
  }
  return tables
}

async function describe(client: pg.Client, tables: Table[], now: Date): Promise<BackupHeader> {
  const migrations = await listMigrations(client)
  const { rows } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version') AS version",
  )
  return {
    created_at: now.toISOString(),
    server_version: rows[0]?.version ?? '',
    migrations: migrations.map(({ name }) => name),
    tables: tables.map(({ name, columns }) => ({ name, columns })),
    // Sequences have no snapshot. Read after it was taken, they are never behind the rows.
    sequences: await listSequences(client),
  }
}

async function* readTables(
  client: pg.Client,
  tables: Table[],
  report: (progress: TableProgress) => void,
): AsyncGenerator<Buffer> {
  for (const table of tables) {
    const copy = client.query(copyTo(copyOut(table)))
    let bytes = 0
    // The cast is safe, because a COPY stream emits buffers.
    for await (const chunk of copy as AsyncIterable<Buffer>) {
      bytes += chunk.length
      yield* encodeData(chunk)
    }
    // The stream ends with the data; the row count, and with it the success, comes after.
    await client.query('SELECT 1')
    const progress = { table: table.name, rows: copy.rowCount, bytes }
    yield encodeEnd(progress)
    report(progress)
  }
}

function copyOut({ name, columns, isPartitioned }: Table): string {
  const list = quoteColumns(columns)
  if (isPartitioned) return `COPY (SELECT ${list} FROM ${quoteName(name)}) TO STDOUT`
  return `COPY ${quoteName(name)} ${list === '' ? '' : `(${list})`} TO STDOUT`
}
