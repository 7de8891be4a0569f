import type { TrustedKey } from '@touchstone/protocol/evidence'
import { RISK_FORMULA } from '@touchstone/protocol/risk'
import { sha256 } from '../hash/sha256.ts'
import { riskProgramDigest } from './air.ts'
import { decodeJournal, type RiskJournal } from './journal.ts'
import { type ReceiptClaims, type ReceiptSignature, signatureFault } from './receipt-claims.ts'
import { verifyRisk } from './verify-risk.ts'

/** The proof system label; a change that old verifiers cannot handle needs a new version. */
export const PROOF_SYSTEM = {
  proof_type: 'stark',
  system: 'touchstone-stark',
  system_version: '1.0',
  security_bits: 100,
  audited: false,
} as const

/** A published receipt. Without the fields that are optional here, only the proof is verified. */
export type Receipt = Partial<ReceiptClaims> & {
  program_id: string
  formula: string
  /** Base64. */
  journal: string
  proof: string
  /** 64 hex digits. */
  proof_sha256: string
  /** The service's signature of every field except the proof. */
  signature?: ReceiptSignature | null
}

export type ReceiptVerdict = {
  valid: boolean
  checks: {
    program_known: boolean
    proof_valid: boolean
    journal_well_formed: boolean
    /** Whether the published keys sign every field; null without a signature or without keys. */
    fields_signed: boolean | null
  }
  journal: RiskJournal | null
  /** Why the receipt is not valid. */
  reason: string | null
}

/** The hash of the statement, its encoding and every parameter of the proof system. */
export function riskProgramId(): string {
  return `sha256:${toHex(riskProgramDigest())}`
}

/**
 * Verifies a receipt from its own contents. The published keys are only needed for the fields that
 * no proof can cover, such as the time it took.
 */
export function verifyReceipt(receipt: Receipt, keys?: readonly TrustedKey[]): ReceiptVerdict {
  const signing = signatureFaultOf(receipt, keys)
  const fieldsFault = labelFault(receipt) ?? signing.fault
  const known = receipt.program_id === riskProgramId() && receipt.formula === RISK_FORMULA
  const journalBytes = fromBase64(receipt.journal)
  const journal = journalBytes === undefined ? undefined : decodeJournal(journalBytes)
  const verdict = (valid: boolean, reason: string | null): ReceiptVerdict => ({
    valid: known && valid && fieldsFault === undefined,
    checks: {
      program_known: known,
      proof_valid: valid,
      journal_well_formed: journal !== undefined,
      fields_signed: signing.isSigned,
    },
    journal: journal ?? null,
    reason: known ? (reason ?? fieldsFault ?? null) : 'unknown program_id or formula',
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

/** Names the first field that claims something else than the program implies. */
function labelFault(receipt: Receipt): string | undefined {
  const { proof_type, security_bits, audited } = PROOF_SYSTEM
  const implied = { proof_type, security_bits, audited }
  const wrong = Object.entries(implied).find(([name, value]) => {
    const claimed = receipt[name as keyof typeof implied]
    return claimed !== undefined && claimed !== value
  })
  if (wrong !== undefined) return `${wrong[0]} differs from that of the program`
  if (receipt.proof_bytes === undefined || receipt.proof_bytes === bytesOf(receipt.proof)) {
    return undefined
  }
  return 'proof_bytes differs from the size of the proof'
}

function bytesOf(base64: string): number {
  return (base64.length / 4) * 3 - (/=*$/.exec(base64.slice(-2))?.[0].length ?? 0)
}

function signatureFaultOf(
  receipt: Receipt,
  keys: readonly TrustedKey[] | undefined,
): { isSigned: boolean | null; fault: string | undefined } {
  const { signature } = receipt
  if (signature === undefined || signature === null || keys === undefined) {
    return { isSigned: null, fault: undefined }
  }
  const fault = signatureFault(receipt, signature, keys)
  return { isSigned: fault === undefined, fault }
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
