import { isUtf8 } from 'node:buffer'
import {
  createShape,
  type Finding,
  JSON_LIMITS,
  type JsonResult,
  parseStrictText,
} from '@touchstone/protocol/base'
import type { TrustedKey } from '@touchstone/protocol/evidence'
import { findReceipt, type ReceiptVerdict, verifyReceipt } from '@touchstone/prover'

const FIELDS = ['program_id', 'formula', 'journal', 'proof', 'proof_sha256'] as const

/** As for every body that anybody can send. */
const LIMITS = { ...JSON_LIMITS, valuesMax: 10_000 }

export type ReceiptBody =
  | { ok: true; verdict: ReceiptVerdict }
  | { ok: false; reason: string; details: readonly Finding[] }

/** Parses, validates and verifies the body of a request with a receipt, all on a worker thread. */
export function verifyReceiptBody({
  body: bytes,
  keys,
}: {
  body: Uint8Array
  keys: readonly TrustedKey[]
}): ReceiptBody {
  const parsed = parse(bytes)
  if (!parsed.ok) {
    const { reason } = parsed
    return {
      ok: false,
      reason: `The body is invalid: ${reason}`,
      details: [{ path: '', code: 'parse_error', message: reason }],
    }
  }
  const details = faultsOf(parsed.value)
  const receipt = findReceipt(parsed.value)
  if (details.length === 0 && receipt !== undefined) {
    return { ok: true, verdict: verifyReceipt(receipt, keys) }
  }
  const [first] = details
  const reason =
    first === undefined ? 'receipt: is not valid' : `${nameOf(first)}: ${first.message}`
  return { ok: false, reason, details }
}

function parse(bytes: Uint8Array): JsonResult {
  // A missing body is an empty object, as everywhere.
  if (bytes.length === 0) return { ok: true, value: {} }
  if (!isUtf8(bytes)) return { ok: false, reason: 'not valid UTF-8' }
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return parseStrictText(view.toString('utf8'), LIMITS)
}

function faultsOf(body: unknown): readonly Finding[] {
  const shape = createShape()
  const receipt = shape.object('/receipt', shape.object('', body)?.['receipt'])
  for (const name of receipt === undefined ? [] : FIELDS) {
    shape.text(`/receipt/${name}`, receipt?.[name])
  }
  return shape.errors
}

function nameOf({ path }: Finding): string {
  return path === '' ? 'body' : path.slice(1)
}
