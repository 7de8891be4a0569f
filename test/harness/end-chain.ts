import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Kills a development chain that the service started during a test, which would outlive it. */
export async function endChain(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, 'chain', 'anvil.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return
  try {
    process.kill(JSON.parse(text).pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}
