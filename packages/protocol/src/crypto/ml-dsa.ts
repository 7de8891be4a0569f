import { shake128, shake256 } from '@noble/hashes/sha3.js'
import { concatBytes, equalBytes } from '../base/encoding.ts'

/**
 * Verification of ML-DSA-44 signatures (FIPS 204, pure, with an empty context). Names and algorithm
 * numbers are those of the standard. Only public values are handled, so nothing runs in constant
 * time. Products of two coefficients are below 2^46, which doubles hold exactly.
 */

export const ML_DSA_44 = { publicKeyBytes: 1312, signatureBytes: 2420 } as const

const Q = 8_380_417
const N = 256
/** Rows and columns of the matrix A. */
const K = 4
const L = 4
const D = 13
const TAU = 39
const GAMMA1 = 2 ** 17
const GAMMA2 = (Q - 1) / 88
const BETA = 78
const OMEGA = 80
const SEED_BYTES = 32
const CHALLENGE_BYTES = 32
const MU_BYTES = 64
const Z_BITS = 18
const T1_BITS = 10
const W1_BITS = 6
/** 256^-1 mod Q. */
const N_INVERSE = 8_347_681
const ZETAS = zetas()

type Polynomial = Int32Array

/** Never throws for a wrong signature or key. */
export function verifyMlDsa44({
  signature,
  message,
  publicKey,
}: {
  signature: Uint8Array
  message: Uint8Array
  publicKey: Uint8Array
}): boolean {
  if (publicKey.length !== ML_DSA_44.publicKeyBytes) return false
  const decoded = decodeSignature(signature)
  if (decoded === undefined) return false
  const { challenge, z, hints } = decoded
  const tr = shake256(publicKey, { dkLen: MU_BYTES })
  const mu = shake256(concatBytes(tr, Uint8Array.of(0, 0), message), { dkLen: MU_BYTES })
  const w1 = reconstruct({ publicKey, c: sampleInBall(challenge), z, hints })
  const expected = shake256(concatBytes(mu, w1), { dkLen: CHALLENGE_BYTES })
  return equalBytes(expected, challenge)
}

/** Algorithm 8, lines 9 and 10: UseHint of A·z − c·t1·2^d, encoded. */
function reconstruct({
  publicKey,
  c,
  z,
  hints,
}: {
  publicKey: Uint8Array
  c: Polynomial
  z: readonly Polynomial[]
  hints: readonly Polynomial[]
}): Uint8Array {
  const rho = publicKey.subarray(0, SEED_BYTES)
  const zHat = z.map(ntt)
  const cHat = ntt(c)
  const rows = hints.map((hint, row) => {
    const start = SEED_BYTES + (row * N * T1_BITS) / 8
    const t1 = unpack(publicKey.subarray(start), T1_BITS)
    const shifted = ntt(t1.map((value) => (value * 2 ** D) % Q))
    const sum = new Int32Array(N)
    for (const [column, polynomial] of zHat.entries()) {
      const a = rejNttPoly(concatBytes(rho, Uint8Array.of(column, row)))
      for (let i = 0; i < N; i++) sum[i] = (at(sum, i) + multiply(at(a, i), at(polynomial, i))) % Q
    }
    for (let i = 0; i < N; i++) {
      sum[i] = modulo(at(sum, i) - multiply(at(cHat, i), at(shifted, i)))
    }
    return inverseNtt(sum).map((value, i) => applyHint(at(hint, i), value))
  })
  return concatBytes(...rows.map((row) => pack(row, W1_BITS)))
}

/** Algorithm 27. Undefined if the signature is malformed or z is too large. */
function decodeSignature(signature: Uint8Array) {
  if (signature.length !== ML_DSA_44.signatureBytes) return undefined
  const challenge = signature.subarray(0, CHALLENGE_BYTES)
  const zBytes = (N * Z_BITS) / 8
  const z = Array.from({ length: L }, (_, i) => {
    const packed = signature.subarray(CHALLENGE_BYTES + i * zBytes)
    return unpack(packed, Z_BITS).map((value) => GAMMA1 - value)
  })
  const isSmall = z.every((polynomial) => polynomial.every((v) => Math.abs(v) < GAMMA1 - BETA))
  const hints = decodeHints(signature.subarray(CHALLENGE_BYTES + L * zBytes))
  return isSmall && hints !== undefined ? { challenge, z: z.map(canonical), hints } : undefined
}

/** Algorithm 21: each set of hints has one encoding. */
function decodeHints(bytes: Uint8Array): Polynomial[] | undefined {
  const hints: Polynomial[] = []
  let index = 0
  for (let row = 0; row < K; row++) {
    const hint = new Int32Array(N)
    const end = bytes[OMEGA + row] ?? 0
    if (end < index || end > OMEGA) return undefined
    for (let i = index; i < end; i++) {
      const place = bytes[i] ?? 0
      if (i > index && (bytes[i - 1] ?? 0) >= place) return undefined
      hint[place] = 1
    }
    index = end
    hints.push(hint)
  }
  return bytes.subarray(index, OMEGA).every((byte) => byte === 0) ? hints : undefined
}

/** Algorithm 29: a polynomial with 39 coefficients of 1 or −1 and zeros. */
function sampleInBall(seed: Uint8Array): Polynomial {
  const stream = shake256.create({}).update(seed)
  const signs = stream.xof(8)
  const c = new Int32Array(N)
  for (let i = N - TAU; i < N; i++) {
    let j = N
    while (j > i) j = stream.xof(1)[0] ?? 0
    c[i] = at(c, j)
    const bit = i + TAU - N
    const isNegative = ((signs[bit >> 3] ?? 0) >> (bit & 7)) & 1
    c[j] = isNegative === 1 ? Q - 1 : 1
  }
  return c
}

/** Algorithm 30: uniform coefficients, three bytes at a time. */
function rejNttPoly(seed: Uint8Array): Polynomial {
  const stream = shake128.create({}).update(seed)
  const a = new Int32Array(N)
  for (let filled = 0; filled < N; ) {
    const [low = 0, middle = 0, high = 0] = stream.xof(3)
    const value = low | (middle << 8) | ((high & 0x7f) << 16)
    if (value < Q) a[filled++] = value
  }
  return a
}

/** Algorithms 36 and 40. */
function applyHint(hint: number, value: number): number {
  const steps = (Q - 1) / (2 * GAMMA2)
  let low = value % (2 * GAMMA2)
  if (low > GAMMA2) low -= 2 * GAMMA2
  const isWrapped = value - low === Q - 1
  const high = isWrapped ? 0 : (value - low) / (2 * GAMMA2)
  if (isWrapped) low -= 1
  if (hint === 0) return high
  return (high + (low > 0 ? 1 : steps - 1)) % steps
}

/** Algorithm 41. */
function ntt(polynomial: Polynomial): Polynomial {
  const w = Int32Array.from(polynomial)
  let m = 0
  for (let length = N / 2; length >= 1; length /= 2) {
    for (let start = 0; start < N; start += 2 * length) {
      m += 1
      for (let j = start; j < start + length; j++) {
        const t = multiply(at(ZETAS, m), at(w, j + length))
        w[j + length] = modulo(at(w, j) - t)
        w[j] = (at(w, j) + t) % Q
      }
    }
  }
  return w
}

/** Algorithm 42. */
function inverseNtt(polynomial: Polynomial): Polynomial {
  const w = Int32Array.from(polynomial)
  let m = N
  for (let length = 1; length < N; length *= 2) {
    for (let start = 0; start < N; start += 2 * length) {
      m -= 1
      for (let j = start; j < start + length; j++) {
        const t = at(w, j)
        w[j] = (t + at(w, j + length)) % Q
        w[j + length] = multiply(Q - at(ZETAS, m), modulo(t - at(w, j + length)))
      }
    }
  }
  return w.map((value) => multiply(value, N_INVERSE))
}

/** Powers of 1753, a 512th root of unity, in the order of reversed bits. */
function zetas(): Int32Array {
  return Int32Array.from({ length: N }, (_, index) => {
    let power = 1
    for (let bit = 0, base = 1753; bit < 8; bit++, base = multiply(base, base)) {
      if ((index >> (7 - bit)) & 1) power = multiply(power, base)
    }
    return power
  })
}

/** 256 numbers of this many bits, the lowest bits first. */
function unpack(bytes: Uint8Array, bits: number): Polynomial {
  const values = new Int32Array(N)
  for (let bit = 0; bit < N * bits; bit++) {
    const value = ((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1
    const place = Math.floor(bit / bits)
    values[place] = at(values, place) | (value << (bit % bits))
  }
  return values
}

function pack(values: Polynomial, bits: number): Uint8Array {
  const bytes = new Uint8Array((N * bits) / 8)
  for (let bit = 0; bit < N * bits; bit++) {
    const value = (at(values, Math.floor(bit / bits)) >> (bit % bits)) & 1
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (value << (bit & 7))
  }
  return bytes
}

function canonical(polynomial: Polynomial): Polynomial {
  return polynomial.map(modulo)
}

function modulo(value: number): number {
  return value < 0 ? value + Q : value
}

function multiply(a: number, b: number): number {
  return (a * b) % Q
}

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0
}
