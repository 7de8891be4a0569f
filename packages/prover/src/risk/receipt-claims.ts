import { base64ToBytes, canonicalJson } from '@touchstone/protocol/base'
import { verifyEd25519 } from '@touchstone/protocol/crypto'
import { findKey, SIGNATURE_ALGORITHM, type TrustedKey } from '@touchstone/protocol/evidence'

/**
 * A receipt names the prover, its strength and the time it took. The proof does not cover these
 * fields, so the service signs them, together with the hash of the proof.
 */

/** Part of the signed text, so that nothing else signed with the same key can pass for a receipt. */
const CONTEXT = 'urn:touchstone:proof-receipt:v1'

/** Everything a receipt shows, except the proof and where to download it. */
export type ReceiptClaims = {
  proof_type: string
  system: string
  system_version: string
  security_bits: number
  audited: boolean
  program_id: string
  formula: string
  /** Base64. */
  journal: string
  /** 64 hex digits; binds the proof. */
  proof_sha256: string
  proof_bytes: number
  proving_ms: number
}

export type ReceiptSignature = {
  algorithm: string
  key_id: string
  /** Base64, over the payload. */
  value: string
}

const SIGNED = [
  'proof_type',
  'system',
  'system_version',
  'security_bits',
  'audited',
  'program_id',
  'formula',
  'journal',
  'proof_sha256',
  'proof_bytes',
  'proving_ms',
] as const satisfies readonly (keyof ReceiptClaims)[]

/** The text to sign. Picks exactly the signed fields, so that callers may pass wider objects. */
export function receiptPayload(claims: ReceiptClaims): string {
  const signed = Object.fromEntries(SIGNED.map((name) => [name, claims[name]]))
  return canonicalJson({ '@context': CONTEXT, ...signed })
}

function isComplete(receipt: Partial<ReceiptClaims>): receipt is ReceiptClaims {
  return SIGNED.every((name) => receipt[name] !== undefined)
}

/** Why the signature does not cover these claims; undefined if it does. */
export function signatureFault(
  receipt: Partial<ReceiptClaims>,
  { algorithm, key_id, value }: ReceiptSignature,
  keys: readonly TrustedKey[],
): string | undefined {
  if (!isComplete(receipt)) return 'a signed field is missing'
  if (algorithm !== SIGNATURE_ALGORITHM) return 'unknown signature algorithm'
  const publicKey = findKey(key_id, keys)
  if (publicKey === undefined) return 'the signing key is not among the published keys'
  const signature = base64ToBytes(value)
  if (signature === undefined) return 'the signature is not valid base64'
  const isGood = verifyEd25519({ signature, message: receiptPayload(receipt), publicKey })
  return isGood ? undefined : 'the signature does not cover the fields of the receipt'
}
