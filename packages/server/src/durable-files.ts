import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file atomically: after a crash either the old or the new content is there. */
export async function writeFileDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`
  await writeSynced(partial, text, { flags: 'w', mode: 0o600 })
  await renameDurably(partial, file)
}

/** Writes a file whose content is on the disk afterwards; its name is only after `syncDir`. */
export async function writeSynced(
  file: string,
  content: string | Uint8Array,
  { flags, mode }: { flags: 'w' | 'wx'; mode: number },
): Promise<void> {
  const handle = await open(file, flags, mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
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
