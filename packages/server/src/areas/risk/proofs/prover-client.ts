import { performance } from 'node:perf_hooks'
import { RISK_FORMULA } from '@touchstone/protocol/risk'
import type { Prover } from './ports.ts'

/** Below the lease, so that whoever waits for a prover still holds its proof (03 §4). */
const TIMEOUT_MS = 10 * 60_000
/** Fifty times a proof of ours as base64. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

/** The guarded way out; rejects when there is no whole answer in time. */
export type Outbound = (call: {
  url: string
  method: 'POST'
  headers: Record<string, string>
  body: string
  timeoutMs: number
  maxBytes: number
  overflow: 'fail'
}) => Promise<{ status: number; body: Uint8Array }>

export type ExternalProver = {
  url: string
  key: string | undefined
  /** How receipts name it. */
  system: string
  systemVersion: string
  outbound: Outbound
  timeoutMs?: number
  answerBytesMax?: number
}

/** For the operator's log; holds nothing of what was sent or answered. */
export class ProverFault extends Error {}

/**
 * A prover elsewhere, which makes proofs of our program under a name of its own. INVARIANT: program
 * and verifier stay ours: what it answers is bytes, which nobody believes before our verifier has
 * seen them, so a receipt says nothing that was not checked here.
 */
export function createExternalProver(own: Prover, external: ExternalProver): Prover {
  const { url, key, system, systemVersion, outbound } = external
  const { timeoutMs = TIMEOUT_MS, answerBytesMax: maxBytes = ANSWER_BYTES_MAX } = external
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  return {
    ...own,
    system,
    systemVersion,
    async prove(inputs) {
      const program_id = await own.programId()
      const body = JSON.stringify({ program_id, formula: RISK_FORMULA, inputs })
      const bounds = { timeoutMs, maxBytes, overflow: 'fail' as const }
      const startedAt = performance.now()
      const answer = await outbound({ url, method: 'POST', headers, body, ...bounds })
      if (answer.status !== 200) throw new ProverFault(`the prover answered ${answer.status}`)
      // Its own time is not ours to vouch for; this is how long it was waited for.
      return { ...readAnswer(answer.body), ms: performance.now() - startedAt }
    },
  }
}

function readAnswer(bytes: Uint8Array): { proof: Uint8Array; journal: Uint8Array } {
  let answer: unknown
  try {
    answer = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ProverFault('the answer of the prover is not JSON')
  }
  return { proof: bytesOf(answer, 'proof'), journal: bytesOf(answer, 'journal') }
}

function bytesOf(answer: unknown, name: string): Uint8Array {
  const isObject = typeof answer === 'object' && answer !== null
  const text: unknown = isObject ? Object.getOwnPropertyDescriptor(answer, name)?.value : undefined
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined
  // Node reads what is not base64 as well as it can; only the one right spelling is taken.
  if (bytes !== undefined && bytes.length > 0 && bytes.toString('base64') === text) return bytes
  throw new ProverFault(`${name} in the answer of the prover is not base64`)
}
