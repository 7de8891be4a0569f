import { equalBytes, hexToBytes } from '../base/encoding.ts'

/**
 * The interface of both Ed25519 implementations (RFC 8032, pure Ed25519). package.json's `imports`
 * selects one: Node's native code on the server, a pure JavaScript one if node:crypto is not
 * available.
 * || Both verify by the same strict rules, because a signature that one accepts and the other
 * rejects would make a certificate valid for some readers only:
 * - the signature's halves and the public key must be canonically encoded, with S < L;
 * - neither the public key nor R may be of small order, so that a signature binds its message;
 * - the equation is the one without cofactor: the encoding of [S]B − [k]A equals R byte for byte.
 * A public key with a torsion part (never produced by `publicKey`) is not rejected as such; that
 * equation alone decides whether its signatures verify, so both implementations agree.
 */
export type Ed25519 = {
  /** Signs with a 32-byte seed and returns 64 bytes. Strings are signed as UTF-8. */
  sign(message: Uint8Array | string, seed: Uint8Array): Uint8Array
  /** For many signatures with one seed: importing a seed costs Node more than ten signatures. */
  signer(seed: Uint8Array): Signer
  verify(signed: SignedMessage): boolean
  publicKey(seed: Uint8Array): Uint8Array
}

export type Signer = (message: Uint8Array | string) => Uint8Array

export type SignedMessage = {
  signature: Uint8Array
  message: Uint8Array | string
  publicKey: Uint8Array
}

export const SEED_BYTES = 32
export const SIGNATURE_BYTES = 64
export const PUBLIC_KEY_BYTES = 32

/** The y of the points whose order divides 8, without the sign of x; x is 0 for the middle two. */
const SMALL_ORDER_Y = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map(hexToBytes)

/** The field's prime, 2^255 − 19, and the order of the base point, both little-endian. */
const PRIME = littleEndian(2n ** 255n - 19n)
const ORDER = littleEndian(2n ** 252n + 27742317777372353535851937790883648493n)

/** The fixed prefix of an Ed25519 PKCS #8 private key (RFC 8410). */
const PKCS8_PREFIX = hexToBytes('302e020100300506032b657004220420')

/** Encodes a seed as a private key that other software can import. */
export function pkcs8(seed: Uint8Array): Uint8Array {
  assertSeed(seed)
  return Uint8Array.of(...PKCS8_PREFIX, ...seed)
}

/** Throws unless the seed has 32 bytes; a shorter one must not be padded silently. */
export function assertSeed(seed: Uint8Array): void {
  if (seed.length !== SEED_BYTES) throw new TypeError('an Ed25519 seed must have 32 bytes')
}

/**
 * The part of the strict rules that needs no curve arithmetic, shared by both implementations. If x
 * is 0, both signs of x encode the same point, but those points are of small order.
 */
export function isStrictlyEncoded({ signature, publicKey }: SignedMessage): boolean {
  return (
    signature.length === SIGNATURE_BYTES &&
    publicKey.length === PUBLIC_KEY_BYTES &&
    isStrictPoint(publicKey) &&
    isStrictPoint(signature.subarray(0, 32)) &&
    isBelow(signature.subarray(32), ORDER)
  )
}

function isStrictPoint(encoded: Uint8Array): boolean {
  const y = Uint8Array.from(encoded)
  y[31] = (y[31] ?? 0) & 0x7f
  return isBelow(y, PRIME) && !SMALL_ORDER_Y.some((small) => equalBytes(small, y))
}

/** Compares little-endian numbers of 32 bytes. */
function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn))
}
