import { RISK_FORMULA } from '@touchstone/protocol/risk'
import { sha256 } from '../hash/sha256.ts'
import { riskProgramDigest } from './air.ts'
import { decodeJournal, type RiskJournal } from './journal.ts'
import { verifyRisk } from './verify-risk.ts'

/** The proof system label; a change that old verifiers cannot handle needs a new version. */
export const PROOF_SYSTEM = {
  proof_type: 'stark',
  system: 'touchstone-stark',
  system_version: '1.0',
  security_bits: 100,
  audited: false,
} as const

/** The fields of a published receipt that are verified. */
export type Receipt = {
  program_id: string
  formula: string
  /** Base64. */
  journal: string
  proof: string
  /** 64 hex digits. */
  proof_sha256: string
}

export type ReceiptVerdict = {
  valid: boolean
  checks: { program_known: boolean; proof_valid: boolean; journal_well_formed: boolean }
  journal: RiskJournal | null
  /** Why the receipt is not valid. */
  reason: string | null
}

/** The hash of the statement, its encoding and every parameter of the proof system. */
export function riskProgramId(): string {
  return `sha256:${toHex(riskProgramDigest())}`
}

/** Verifies a receipt from its own contents, without external data. */
export function verifyReceipt(receipt: Receipt): ReceiptVerdict {
  const known = receipt.program_id === riskProgramId() && receipt.formula === RISK_FORMULA
  const journalBytes = fromBase64(receipt.journal)
  const journal = journalBytes === undefined ? undefined : decodeJournal(journalBytes)
  const verdict = (valid: boolean, reason: string | null): ReceiptVerdict => ({
    valid: known && valid,
    checks: {
      program_known: known,
      proof_valid: valid,
      journal_well_formed: journal !== undefined,
    },
    journal: journal ?? null,
    reason: known ? reason : 'unknown program_id or formula',
  })
  const proof = fromBase64(receipt.proof)
  if (journalBytes === undefined || proof === undefined)
    return verdict(false, 'the journal or the proof is not valid base64')
  if (toHex(sha256(proof)) !== receipt.proof_sha256) {
    return verdict(false, 'the proof does not match proof_sha256')
  }
  const outcome = verifyRisk(proof, journalBytes)
  return outcome.valid ? verdict(true, null) : verdict(false, outcome.reason)
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A single character class, because a repeated group overflows the stack on megabytes of input. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** The last symbol before padding has unused bits; canonical base64 requires them to be zero. */
const BITS_LEFT_OVER = /(?:[^AQgw]==|[^=AEIMQUYcgkosw048]=)$/

/**
 * Decodes identically in Node and browsers. Returns undefined unless the text is canonical padded
 * base64.
 */
function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined
  if (BITS_LEFT_OVER.test(text.slice(-3))) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
