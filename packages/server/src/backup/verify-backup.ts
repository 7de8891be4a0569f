import { open } from 'node:fs/promises'
import { checkBackupFile } from './backup-file.ts'
import type { TableProgress } from './format.ts'
import type { BackupSummary } from './write-backup.ts'

/** Reads a backup to its end and returns its summary; throws if a single byte is wrong. */
export async function verifyBackup(file: string): Promise<BackupSummary> {
  const handle = await open(file, 'r')
  try {
    const { header, fileBytes, frames } = await checkBackupFile(handle)
    const tables: TableProgress[] = []
    for await (const frame of frames()) {
      if (frame.type === 'E') tables.push(frame.end)
    }
    const names = (list: string[]) => JSON.stringify(list)
    if (names(tables.map(({ table }) => table)) !== names(header.tables.map(({ name }) => name))) {
      throw new Error('The tables in the backup differ from those in its header.')
    }
    return { header, tables, fileBytes }
  } finally {
    await handle.close()
  }
}
