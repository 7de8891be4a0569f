import { ed25519 as curve } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { equalBytes } from '../base/encoding.ts'
import {
  assertSeed,
  type Ed25519,
  isStrictlyEncoded,
  type SignedMessage,
  type Signer,
} from './ed25519.ts'

export const ed25519: Ed25519 = {
  sign: (message, seed) => signer(seed)(message),
  signer,
  verify: (signed) => isStrictlyEncoded(signed) && satisfiesEquation(signed),
  publicKey(seed) {
    assertSeed(seed)
    return curve.getPublicKey(seed)
  },
}

function signer(seed: Uint8Array): Signer {
  assertSeed(seed)
  // A private copy, so that the caller may wipe the seed afterwards, as with a key imported into
  // Node.
  const own = Uint8Array.from(seed)
  return (message) => curve.sign(toBytes(message), own)
}

/**
 * The library's verification multiplies by the cofactor; native implementations do not (RFC 8032
 * §8.9).
 */
function satisfiesEquation({ signature, message, publicKey }: SignedMessage): boolean {
  const { Point } = curve
  const r = signature.subarray(0, 32)
  const s = fromLittleEndian(signature.subarray(32))
  const digest = sha512(concatBytes(r, publicKey, toBytes(message)))
  const k = Point.Fn.create(fromLittleEndian(digest))
  const key = findPoint(publicKey)
  if (key === undefined) return false
  const expected = Point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(k))
  return equalBytes(expected.toBytes(), r)
}

/** Undefined if the encoding is not a point of the curve. */
function findPoint(encoded: Uint8Array) {
  try {
    return curve.Point.fromBytes(encoded)
  } catch {
    return undefined
  }
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
}

function toBytes(message: Uint8Array | string): Uint8Array {
  return typeof message === 'string' ? utf8ToBytes(message) : message
}
