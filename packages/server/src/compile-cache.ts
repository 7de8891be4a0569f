import { mkdirSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'

/** Keeps compiled code in the data folder, so that the next start is faster. Node 20 cannot. */
export function keepCompiledCode(dataDir: string): void {
  // The types are those of the oldest supported Node, which lacks this function.
  if (!('enableCompileCache' in nodeModule)) return
  const { enableCompileCache } = nodeModule
  if (typeof enableCompileCache !== 'function') return
  const dir = join(dataDir, 'compiled')
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch {
    // Without the folder the start is only slower; whoever needs the data folder says what is wrong.
    return
  }
  enableCompileCache(dir)
}
