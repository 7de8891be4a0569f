import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { installCommand } from '../optional-packages.ts'

const require = createRequire(import.meta.url)

/** The npm packages with the program, which are not installed by default. */
const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'win32-x64': '@foundry-rs/anvil-win32-amd64',
}
/** Undefined if there is none for this system. */
const PACKAGE = PACKAGES[`${process.platform}-${process.arch}`]
const PROGRAM = process.platform === 'win32' ? 'anvil.exe' : 'anvil'

/** Folders used by Foundry's installer and system packages. */
const FOLDERS = [join(homedir(), '.foundry', 'bin'), '/usr/local/bin', '/usr/bin']

/**
 * Finds the development chain's program: from the npm package for this system, or installed on
 * the machine. Undefined if there is neither.
 */
export function findAnvil(): string | undefined {
  return findInPackage() ?? FOLDERS.map((folder) => join(folder, PROGRAM)).find(isExecutable)
}

function findInPackage(): string | undefined {
  if (PACKAGE === undefined) return undefined
  try {
    return join(dirname(require.resolve(`${PACKAGE}/package.json`)), 'bin', PROGRAM)
  } catch {
    return undefined
  }
}

/** Says how to get one, for the operator. */
export function describeMissingAnvil(): string {
  const ways = ['install anvil (Foundry)', 'set CHAIN_MODE=rpc and CHAIN_RPC_URL']
  if (PACKAGE !== undefined) ways.unshift(`run ${installCommand([PACKAGE])}`)
  return `The development chain is not installed: ${ways.join(', or ')}.`
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
