import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { findRunning, openEmbedded } from '../postgres/embedded.ts'
import { migrate } from '../postgres/migrate.ts'
import type { TableProgress } from './format.ts'
import { restoreBackup } from './restore-backup.ts'
import { verifyBackup } from './verify-backup.ts'
import { type BackupSummary, writeBackup } from './write-backup.ts'

export type BackupCommand = {
  dataDir: string
  databaseUrl: string | undefined
  /** Whether SECRET_KEY is set. */
  hasSecretKey: boolean
  file: string
  migrationsDir: string
  print(line: string): void
}

/** Works with or without a running service. */
export async function backup(command: BackupCommand): Promise<void> {
  const { file, print } = command
  await assertFolders(command)
  const running = command.databaseUrl ?? (await findRunning(command.dataDir))
  const write = (connectionString: string) =>
    writeBackup({ connectionString, file, now: systemClock.now(), onProgress: progress(print) })
  const summary =
    running === undefined ? await onOwnServer(command.dataDir, write) : await write(running)
  print(`Backup of ${rowsOf(summary)} rows written to ${file} (${summary.fileBytes} bytes).`)
  print(
    'Keep the SECRET_KEY with it (embedded: secret.key in the data folder): it opens sealed values.',
  )
}

/** Reports a mistyped folder instead of creating it. */
async function assertFolders(command: BackupCommand): Promise<void> {
  if (!(await isThere(dirname(resolve(command.file))))) {
    throw new Error(`The folder of ${command.file} does not exist.`)
  }
  if (command.databaseUrl !== undefined || (await isThere(join(command.dataDir, 'postgres'))))
    return
  throw new Error(`${command.dataDir} contains no data. Set DATA_DIR to the folder of the service.`)
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/**
 * Restores into an installation without data; the service must be stopped. The schema is first
 * migrated to the version of the backup, so that a newer release can load an older backup.
 */
export async function restore(command: BackupCommand): Promise<void> {
  const { file, print, migrationsDir: dir } = command
  await assertSecretKey(command)
  const { header } = await verifyBackup(file)
  const load = async (connectionString: string) => {
    await migrate({ connectionString, dir, upTo: header.migrations.at(-1) })
    const loaded = await restoreBackup({ connectionString, file, onProgress: progress(print) })
    await migrate({ connectionString, dir })
    return loaded
  }
  const summary = await (command.databaseUrl === undefined
    ? onOwnServer(command.dataDir, load)
    : load(command.databaseUrl))
  print(`Restored ${rowsOf(summary)} rows from ${file}, written ${header.created_at}.`)
}

/** Without the key that sealed them, restored secrets could never be opened. */
async function assertSecretKey(command: BackupCommand): Promise<void> {
  if (command.hasSecretKey) return
  const file = join(command.dataDir, 'secret.key')
  if (await isThere(file)) return
  throw new Error(
    `Copy secret.key from the old data folder to ${file} first, or set SECRET_KEY to its content: stored secrets are sealed with it.`,
  )
}

async function onOwnServer<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const embedded = await openEmbedded(dataDir, () => undefined)
  try {
    return await work(embedded.connectionString)
  } finally {
    await embedded.stop()
  }
}

function progress(print: (line: string) => void) {
  return (done: TableProgress) => print(`  ${done.table}: ${done.rows} rows`)
}

function rowsOf(summary: BackupSummary): number {
  return summary.tables.reduce((total, table) => total + table.rows, 0)
}
