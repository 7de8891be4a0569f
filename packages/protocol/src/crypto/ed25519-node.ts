import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { type Ed25519, isStrictlyEncoded, pkcs8, type Signer } from './ed25519.ts'

/** The length of the fixed prefix of an Ed25519 SPKI public key (RFC 8410). */
const PUBLIC_PREFIX_BYTES = 12

/**
 * OpenSSL already verifies without cofactor and rejects S ≥ L; only the encodings are checked here.
 */
export const ed25519: Ed25519 = {
  sign: (message, seed) => signer(seed)(message),
  signer,
  verify(signed) {
    if (!isStrictlyEncoded(signed)) return false
    const key = readKey(signed.publicKey)
    return key !== undefined && verify(null, toBytes(signed.message), key, signed.signature)
  },
  publicKey(seed) {
    const spki = createPublicKey(privateKey(seed)).export({ format: 'der', type: 'spki' })
    return new Uint8Array(spki.subarray(PUBLIC_PREFIX_BYTES))
  },
}

/** One key signs almost all records, and reading it takes a third as long as a verification. */
let lastRead: { x: string; key: KeyObject } | undefined

/** Undefined for an invalid point, which newer OpenSSL versions reject on import. */
function readKey(publicKey: Uint8Array): KeyObject | undefined {
  // Imported as a JWK, because OpenSSL takes fifteen times as long to read the same key from DER.
  const x = Buffer.from(publicKey).toString('base64url')
  if (lastRead?.x === x) return lastRead.key
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    lastRead = { x, key }
    return key
  } catch {
    return undefined
  }
}

function signer(seed: Uint8Array): Signer {
  const key = privateKey(seed)
  return (message) => new Uint8Array(sign(null, toBytes(message), key))
}

function privateKey(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8(seed)), format: 'der', type: 'pkcs8' })
}

function toBytes(message: Uint8Array | string): Uint8Array {
  return typeof message === 'string' ? Buffer.from(message, 'utf8') : message
}
