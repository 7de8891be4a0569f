import { sha256Hex } from '@touchstone/protocol/crypto'

/** 64 hexadecimal digits, which prove knowledge of the agent's secret. */
const PROOF = /^[0-9a-f]{64}$/i

export function isProof(text: string): boolean {
  return PROOF.test(text)
}

/** The proof of a secret: SHA-256 of its UTF-8 text (spec: evidence §1). */
export function proofOf(secret: string): string {
  return sha256Hex(secret)
}

/** Only this hash is stored: neither the secret nor the proof can be derived from it. */
export function verifierOf(proof: string): string {
  return sha256Hex(Uint8Array.from(proof.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
}
