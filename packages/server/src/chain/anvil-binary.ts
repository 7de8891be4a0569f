import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const PROGRAM = process.platform === 'win32' ? 'anvil.exe' : 'anvil'

/** Folders used by Foundry's installer and system packages. */
const FOLDERS = [join(homedir(), '.foundry', 'bin'), '/usr/local/bin', '/usr/bin']

/**
 * Finds the development chain's program: from the npm package for this system, or installed on
 * the machine. Undefined if there is neither.
 */
export function findAnvil(): string | undefined {
  const arch = ARCHITECTURES[process.arch] ?? process.arch
  try {
    const manifest = require.resolve(`@foundry-rs/anvil-${process.platform}-${arch}/package.json`)
    return join(dirname(manifest), 'bin', PROGRAM)
  } catch {
    return FOLDERS.map((folder) => join(folder, PROGRAM)).find(isExecutable)
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
