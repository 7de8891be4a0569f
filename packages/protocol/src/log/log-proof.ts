import { hexToBytes, isHashHex } from '../base/encoding.ts'
import { isJsonObject, type JsonObject } from '../base/shape.ts'
import { count, object, problemsOf, type Shape, text } from '../base/strict-shape.ts'
import { leafHash, verifyInclusion } from '../merkle/merkle.ts'
import { type LogEntry, opensLogEntry, parseLogEntry, writeLogEntry } from './entry.ts'
import { type LogCheckpoint, parseLogCheckpoint } from './log-checkpoint.ts'
import type { Parsed } from './parsed.ts'
import { type TrustedCheckpoint, verifyByPolicy } from './policy-check.ts'
import type { TlogPolicy } from './tlog-policy.ts'
import { parseTlogProof, type TlogProof } from './tlog-proof.ts'

/** A record with the proof that it is in the log, as the API answers it (spec: log §2.5). */
export type LogProof = {
  index: number
  entry: LogEntry
  /** Hex. */
  nonce: string
  record: JsonObject
  /** c2sp.org/tlog-proof. */
  proof: string
}

/** The statement of a verified proof. */
export type ProvenRecord = {
  origin: string
  index: number
  /** The size of the log whose checkpoint the proof leads to. */
  size: number
  entry: LogEntry
  record: JsonObject
  /**
   * The witnesses of the policy that cosigned the checkpoint. Null without a policy: then no signature
   * of the checkpoint was verified, and the proof only shows which checkpoint would have the record.
   */
  cosignedBy: string[] | null
}

const anyObject: Shape = (value, path) =>
  isJsonObject(value) ? [] : [{ path, code: 'type', message: 'must be an object' }]

/** The shape of a LogProof from JSON.parse. */
export const LOG_PROOF: Shape = object({
  index: count,
  entry: object({ at: text, hash: text, org: text, type: text, v: count }),
  nonce: text,
  record: anyObject,
  proof: text,
})

/**
 * Verifies that the record opens the entry, and the entry is in a log of the policy. Takes what
 * JSON.parse returns, and never throws.
 */
export function verifyLogProof(value: unknown, policy?: TlogPolicy): Parsed<ProvenRecord> {
  const [problem] = problemsOf(LOG_PROOF, value)
  if (problem !== undefined) {
    return { ok: false, reason: `${problem.path.slice(1)} ${problem.message}`.trim() }
  }
  // The cast is safe: the shape was checked, and `parseLogEntry` checks the values of the entry.
  const { index, entry, nonce, record, proof } = value as LogProof
  const bytes = writeLogEntry(entry)
  const written = parseLogEntry(bytes)
  if (!written.ok) return written
  if (!isHashHex(nonce) || !opens(entry, { nonce: hexToBytes(nonce), record })) {
    return { ok: false, reason: 'the record and its nonce do not open the entry' }
  }
  const parsed = parseTlogProof(proof)
  if (!parsed.ok) return parsed
  if (parsed.value.index !== index) return { ok: false, reason: 'the proof is of another index' }
  const head = readHead(parsed.value, policy)
  if (!head.ok) return head
  const { origin, size, root } = head.value
  const claim = { leaf: leafHash(bytes), index, size, proof: parsed.value.hashes }
  if (!verifyInclusion(claim, root)) {
    return { ok: false, reason: 'the path does not lead from the entry to the root' }
  }
  return {
    ok: true,
    value: { origin, index, size, entry, record, cosignedBy: witnessesOf(head.value) },
  }
}

/** One line for people: the place in the log, and the witnesses. */
export function describeProven({ index, cosignedBy }: ProvenRecord): string {
  return describeLogged({ index, cosigned_by: cosignedBy })
}

/** The same of a check of a certificate. */
export function describeLogged(check: { index: number; cosigned_by: string[] | null }): string {
  const { index, cosigned_by: cosignedBy } = check
  const place = `in the log at index ${index}`
  if (cosignedBy === null) return `${place}, checkpoint not verified`
  if (cosignedBy.length === 0) return `${place}, not cosigned`
  return `${place}, cosigned by ${cosignedBy.join(', ')}`
}

/** A record of JSON.parse can have lone surrogates, which have no canonical form. */
function opens(entry: LogEntry, opening: { nonce: Uint8Array; record: JsonObject }): boolean {
  try {
    return opensLogEntry(entry, opening)
  } catch (err) {
    if (err instanceof TypeError || err instanceof RangeError) return false
    throw err
  }
}

type Head = LogCheckpoint & Partial<Pick<TrustedCheckpoint, 'verified'>>

function readHead({ checkpoint }: TlogProof, policy: TlogPolicy | undefined): Parsed<Head> {
  return policy === undefined ? parseLogCheckpoint(checkpoint) : verifyByPolicy(checkpoint, policy)
}

function witnessesOf({ origin, verified }: Head): string[] | null {
  if (verified === undefined) return null
  return verified.flatMap(({ key }) => (key.name === origin ? [] : [key.name]))
}
