import type { Receipt } from './receipt.ts'

const FIELDS = ['program_id', 'formula', 'journal', 'proof', 'proof_sha256'] as const

/**
 * Finds the receipt in a document, which may be the API response around it; undefined if it
 * contains no proof.
 */
export function findReceipt(document: unknown): Receipt | undefined {
  if (typeof document !== 'object' || document === null) return undefined
  const found = ('receipt' in document ? document.receipt : undefined) ?? document
  return isReceipt(found) ? found : undefined
}

function isReceipt(value: unknown): value is Receipt {
  if (typeof value !== 'object' || value === null) return false
  const fields: Partial<Record<string, unknown>> = { ...value }
  return FIELDS.every((name) => typeof fields[name] === 'string')
}
