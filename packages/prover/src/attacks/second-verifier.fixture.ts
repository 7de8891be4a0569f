import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { verifyRisk } from '../risk/verify-risk.ts'

/** What both verifiers are asked. */
export type Asked = { journalBytes: Uint8Array; proof: Uint8Array }

const CRATE = fileURLToPath(new URL('../../verifier-rs', import.meta.url))
const cargo = (args: readonly string[]) => spawnSync('cargo', args, { cwd: CRATE, stdio: 'pipe' })

/** Without cargo the second verifier stays out, unless REQUIRE_CARGO=1, as in continuous integration. */
export const hasCargo = cargo(['--version']).status === 0

function part(bytes: Uint8Array): Buffer[] {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return [length, Buffer.from(bytes)]
}

/** The line of the Rust verifier for each. */
function secondVerdicts(all: readonly Asked[]): string[] {
  const input = Buffer.concat(
    all.flatMap(({ journalBytes, proof }) => [...part(journalBytes), ...part(proof)]),
  )
  const args = ['run', '--release', '--offline', '--locked', '--quiet', '--', '--batch']
  const { status, stdout, stderr } = spawnSync('cargo', args, {
    ...{ cwd: CRATE, input, maxBuffer: 2 ** 26 },
  })
  if (status !== 0) throw new Error(`cargo: ${stderr}`)
  return String(stdout).trimEnd().split('\n')
}

/** How many of these the verifiers accept; they must agree on each. */
export function accepted(all: readonly Asked[]): number {
  const first = all.map(({ journalBytes, proof }) => verifyRisk(proof, journalBytes).valid)
  if (hasCargo) {
    const second = secondVerdicts(all).map((line) => line === 'valid')
    expect(second).toEqual(first)
  }
  return first.filter(Boolean).length
}
