import { verifyEd25519 } from '@touchstone/protocol/crypto'
import { sodium } from './libsodium.ts'

type Signed = Parameters<typeof verifyEd25519>[0]

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32

/**
 * Judges as `verifyEd25519` does, in half the time if the signature is valid: libsodium accepts
 * nothing that the strict rules refuse, and whatever it refuses is judged again (ADR 0070).
 */
export function verifySignature(signed: Signed): boolean {
  return isAcceptedBySodium(signed) || verifyEd25519(signed)
}

function isAcceptedBySodium({ signature, message, publicKey }: Signed): boolean {
  if (sodium === undefined) return false
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false
  return sodium.crypto_sign_verify_detached(signature, Buffer.from(message), publicKey)
}
