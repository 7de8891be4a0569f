import { isJsonObject } from '@touchstone/protocol/base'
import type { Receipt } from './receipt.ts'

const REQUIRED = ['program_id', 'formula', 'journal', 'proof', 'proof_sha256'] as const

/** The types of the fields that may be missing. */
const OPTIONAL = {
  proof_type: 'string',
  system: 'string',
  system_version: 'string',
  security_bits: 'number',
  audited: 'boolean',
  proof_bytes: 'number',
  proving_ms: 'number',
} as const

const SIGNATURE = ['algorithm', 'key_id', 'value'] as const

/**
 * Finds the receipt in a document, which may be the API response around it; undefined if it
 * contains no proof, or a field of another type.
 */
export function findReceipt(document: unknown): Receipt | undefined {
  if (typeof document !== 'object' || document === null) return undefined
  const found = ('receipt' in document ? document.receipt : undefined) ?? document
  return isReceipt(found) ? found : undefined
}

function isReceipt(value: unknown): value is Receipt {
  if (!isJsonObject(value)) return false
  const { signature = null } = value
  return (
    REQUIRED.every((name) => typeof value[name] === 'string') &&
    Object.entries(OPTIONAL).every(
      ([name, type]) => value[name] === undefined || typeof value[name] === type,
    ) &&
    (signature === null || isSignature(signature))
  )
}

function isSignature(value: unknown): boolean {
  return isJsonObject(value) && SIGNATURE.every((name) => typeof value[name] === 'string')
}
