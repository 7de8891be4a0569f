import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Compiles contracts/src and writes contracts/abi/*.json and a module for the server. With --check
 * it writes nothing and fails if a committed file is stale.
 */

const CONTRACTS = ['MerkleAnchor', 'ReputationRegistry'] as const
const MODULE = 'packages/server/src/chain/contracts.ts'

const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1_000_000 },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

type Compiler = {
  version(): string
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string
}

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: Bytecode } }>>
}
type Bytecode = { object: string }

type Compiled = { name: string; abi: unknown[]; bytecode: string }

const require = createRequire(import.meta.url)
const solc: Compiler = require('solc')

const files = filesOf(compile())
if (process.argv.includes('--check')) check(files)
else for (const [file, text] of files) writeFileSync(file, text)

function compile(): Compiled[] {
  const sources = Object.fromEntries(
    CONTRACTS.map((name) => [`${name}.sol`, { content: read(`${name}.sol`) }]),
  )
  const input = { language: 'Solidity', sources, settings: SETTINGS }
  const callbacks = { import: (path: string) => ({ contents: read(path) }) }
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input), callbacks))
  const problems = output.errors ?? []
  if (problems.length > 0) {
    throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  }
  return CONTRACTS.map((name) => {
    const contract = output.contracts[`${name}.sol`]?.[name]
    if (contract === undefined) throw new Error(`${name}.sol does not define ${name}`)
    return { name, abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
  })
}

/** Reads a path relative to contracts/src, or a file of an npm package. */
function read(path: string): string {
  const file = path.startsWith('@') ? require.resolve(path) : join('contracts/src', path)
  return readFileSync(file, 'utf8')
}

function filesOf(compiled: readonly Compiled[]): Map<string, string> {
  const { evmVersion, optimizer } = SETTINGS
  const compiler = { version: solc.version(), evmVersion, optimizer }
  const texts = compiled.map(({ name, abi, bytecode }): [string, string] => [
    `contracts/abi/${name}.json`,
    `${JSON.stringify({ contractName: name, compiler, abi, bytecode }, null, 2)}\n`,
  ])
  return new Map([...texts, [MODULE, moduleOf(compiled)]])
}

function moduleOf(compiled: readonly Compiled[]): string {
  const parts = compiled.map(({ name, abi, bytecode }) => {
    const prefix = name.charAt(0).toLowerCase() + name.slice(1)
    const entries = abi.map((entry) => `  ${JSON.stringify(entry)},`).join('\n')
    return `export const ${prefix}Abi = [\n${entries}\n] as const\n
export const ${prefix}Bytecode =\n  '${bytecode}' as const\n`
  })
  return ['// Written by tools/compile-contracts.ts from contracts/src.\n', ...parts].join('\n')
}

function check(wanted: ReadonlyMap<string, string>): void {
  const stale = [...wanted].filter(([file, text]) => readFileSync(file, 'utf8') !== text)
  for (const [file] of stale) {
    process.stderr.write(`${file} is stale: run npm run contracts\n`)
  }
  if (stale.length > 0) process.exit(1)
  process.stdout.write(`${wanted.size} files match contracts/src\n`)
}
