import { ed25519 } from '#ed25519'
import { pkcs8, type SignedMessage, type Signer } from './ed25519.ts'

/** Ed25519 over the message; a string is signed as UTF-8. Deterministic (RFC 8032). */
export function signEd25519(message: Uint8Array | string, seed: Uint8Array): Uint8Array {
  return ed25519.sign(message, seed)
}

/** For a service that signs often: imports the seed once. */
export function ed25519Signer(seed: Uint8Array): Signer {
  return ed25519.signer(seed)
}

/** Verifies by the strict rules of ed25519.ts. Never throws for a wrong signature or key. */
export function verifyEd25519(signed: SignedMessage): boolean {
  return ed25519.verify(signed)
}

/** The seed as a PKCS #8 private key, for signing with other software. */
export function ed25519Pkcs8(seed: Uint8Array): Uint8Array {
  return pkcs8(seed)
}

export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  return ed25519.publicKey(seed)
}
