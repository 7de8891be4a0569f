import { systemClock } from '../kernel/clock.ts'
import { findRunning, openEmbedded } from '../postgres/embedded.ts'
import { migrate } from '../postgres/migrate.ts'
import type { TableProgress } from './format.ts'
import { restoreBackup } from './restore-backup.ts'
import { type BackupSummary, writeBackup } from './write-backup.ts'

export type BackupCommand = {
  dataDir: string
  databaseUrl: string | undefined
  file: string
  migrationsDir: string
  print(line: string): void
}

/** Works beside a running service as well as without one. */
export async function backup(command: BackupCommand): Promise<void> {
  const { file, print } = command
  const running = command.databaseUrl ?? (await findRunning(command.dataDir))
  const write = (connectionString: string) =>
    writeBackup({ connectionString, file, now: systemClock.now(), onProgress: progress(print) })
  const summary =
    running === undefined ? await onOwnServer(command.dataDir, write) : await write(running)
  print(`Backup of ${rowsOf(summary)} rows written to ${file} (${summary.fileBytes} bytes).`)
  print('Keep the SECRET_KEY with it (embedded: secret.key in the data folder): it opens sealed values.')
}

/** Into an installation without data; the service must be stopped. */
export async function restore(command: BackupCommand): Promise<void> {
  const { file, print, migrationsDir: dir } = command
  const load = async (connectionString: string) => {
    await migrate({ connectionString, dir })
    return restoreBackup({ connectionString, file, onProgress: progress(print) })
  }
  const summary = await (command.databaseUrl === undefined
    ? onOwnServer(command.dataDir, load)
    : load(command.databaseUrl))
  print(`Restored ${rowsOf(summary)} rows from ${file}, written ${summary.header.created_at}.`)
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
