import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file so that after a power failure it has either the old or the new content, and the
 * new one once this returns.
 */
export async function replaceDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  await writeSynced(temporary, 'w', text)
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

/** Creates a file that must not exist yet. */
export async function createDurably(path: string, text: string): Promise<void> {
  await writeSynced(path, 'wx', text)
  await syncFolder(dirname(path))
}

async function writeSynced(path: string, flag: 'w' | 'wx', text: string): Promise<void> {
  const file = await open(path, flag, 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the names of files durable. Windows cannot open a folder, and does not need it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
