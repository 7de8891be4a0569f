import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { verifyRisk } from '../risk/verify-risk.ts'

/** The input of both verifiers. */
export type Asked = { journalBytes: Uint8Array; proof: Uint8Array }

const CRATE = fileURLToPath(new URL('../../verifier-rs', import.meta.url))
const cargo = (args: readonly string[]) => spawnSync('cargo', args, { cwd: CRATE, stdio: 'pipe' })

/**
 * Without cargo the second verifier is skipped, unless REQUIRE_CARGO=1, as in continuous
 * integration.
 */
export const hasCargo = cargo(['--version']).status === 0

function part(bytes: Uint8Array): Buffer[] {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return [length, Buffer.from(bytes)]
}

/** The Rust verifier's output line for each proof. */
function secondVerdicts(all: readonly Asked[]): string[] {
  const input = Buffer.concat(
    all.flatMap(({ journalBytes, proof }) => [...part(journalBytes), ...part(proof)]),
  )
  const args = ['run', '--release', '--offline', '--locked', '--quiet', '--', '--batch']
  const { status, stdout, stderr } = spawnSync('cargo', args, {
    cwd: CRATE,
    input,
    maxBuffer: 2 ** 26,
  })
  if (status !== 0) throw new Error(`cargo: ${stderr}`)
  return String(stdout).trimEnd().split('\n')
}

/** The number of proofs that the verifiers accept; both must agree on each. */
export function accepted(all: readonly Asked[]): number {
  const first = all.map(({ journalBytes, proof }) => verifyRisk(proof, journalBytes).valid)
  if (hasCargo) {
    const second = secondVerdicts(all).map((line) => line === 'valid')
    expect(second).toEqual(first)
  }
  return first.filter(Boolean).length
}
