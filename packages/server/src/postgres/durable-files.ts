import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file atomically: after a crash either the old or the new content is there. */
export async function writeFileDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`
  const handle = await open(partial, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await renameDurably(partial, file)
}

export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncDir(dirname(to))
}

export async function syncDir(dir: string): Promise<void> {
  // Windows cannot open a folder; its rename is durable by itself.
  if (process.platform === 'win32') return
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
