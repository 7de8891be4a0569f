import { performance } from 'node:perf_hooks'
import { RISK_FORMULA } from '@touchstone/protocol/risk'
import type { Prover } from './ports.ts'

/** Shorter than the lease, so that the worker still owns the claim (spec: risk §3). */
const TIMEOUT_MS = 10 * 60_000
/** Fifty times the size of one of our proofs in base64. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

/** The egress guard; rejects if there is no complete response in time. */
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
  /** Its name in receipts. */
  system: string
  systemVersion: string
  outbound: Outbound
  timeoutMs?: number
  answerBytesMax?: number
}

/** Goes to the operator's log, so it contains nothing of the request or the response. */
export class ProverFault extends Error {}

/**
 * A remote prover that proves our program under its own name. INVARIANT: program and verifier stay
 * ours. Its response is untrusted bytes until our verifier has accepted them, so a receipt states
 * nothing that was not verified here.
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
      const startedAt = performance.now()
      const response = await outbound({
        url,
        method: 'POST',
        headers,
        body,
        timeoutMs,
        maxBytes,
        overflow: 'fail',
      })
      if (response.status !== 200) {
        throw new ProverFault(`prover responded with status ${response.status}`)
      }
      // Measured here, because the time that the prover reports cannot be verified.
      return { ...parseResponse(response.body), ms: performance.now() - startedAt }
    },
  }
}

function parseResponse(bytes: Uint8Array): { proof: Uint8Array; journal: Uint8Array } {
  let answer: unknown
  try {
    answer = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ProverFault('prover response is not JSON')
  }
  return { proof: bytesOf(answer, 'proof'), journal: bytesOf(answer, 'journal') }
}

function bytesOf(answer: unknown, name: string): Uint8Array {
  const isObject = typeof answer === 'object' && answer !== null
  const text: unknown = isObject ? Object.getOwnPropertyDescriptor(answer, name)?.value : undefined
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined
  // Buffer.from ignores invalid characters, so only canonical base64 is accepted.
  if (bytes !== undefined && bytes.length > 0 && bytes.toString('base64') === text) return bytes
  throw new ProverFault(`${name} in the prover response is not base64`)
}
