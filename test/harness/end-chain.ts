import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A test may have made the service start a development chain, which would outlive it. */
export async function endChain(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, 'chain', 'anvil.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return
  try {
    process.kill(JSON.parse(text).pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
