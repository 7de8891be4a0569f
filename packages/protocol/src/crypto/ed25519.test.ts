import { ed25519 as curve } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleOf } from '#harness/runs.ts'
import { bytesToHex, hexToBytes } from '../base/encoding.ts'
import type { SignedMessage } from './ed25519.ts'
import { ed25519 as noble } from './ed25519-noble.ts'
import { ed25519 as node } from './ed25519-node.ts'
import { ed25519PublicKey, ed25519Signer, signEd25519, verifyEd25519 } from './signature.ts'

const { Point } = curve
type Point = InstanceType<typeof Point>

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
const messages = fc.uint8Array({ maxLength: 200 })

/** The result of both implementations, which must always agree. */
function verdict(signed: SignedMessage): boolean {
  const [native, pure] = [node.verify(signed), noble.verify(signed)]
  expect(pure).toBe(native)
  return native
}

const littleEndian = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn))

/** The eight points whose order divides 8, as multiples of one of order 8. */
const GENERATOR = Point.fromBytes(
  hexToBytes('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
)
const TORSION = Array.from({ length: 8 }, (_, i) => GENERATOR.multiplyUnsafe(BigInt(i)))

/** A signature with chosen scalars, with R and A each shifted by a point of small order. */
function signMoved(message: Uint8Array, move: { a: bigint; r: bigint; A: Point; R: Point }) {
  const publicKey = Point.BASE.multiplyUnsafe(move.a).add(move.A).toBytes()
  const R = Point.BASE.multiplyUnsafe(move.r).add(move.R).toBytes()
  const digest = sha512(Uint8Array.of(...R, ...publicKey, ...message))
  const k = Point.Fn.create(BigInt(`0x${bytesToHex(digest.reverse())}`))
  const s = Point.Fn.create(move.r + k * move.a)
  return { publicKey, message, signature: Uint8Array.of(...R, ...littleEndian(s)) }
}

describe('Ed25519', () => {
  it.each([
    {
      seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      message: '',
      signature:
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    },
    {
      seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      message: '72',
      signature:
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    },
  ])('signs $message of RFC 8032 §7.1 as in the RFC, in both implementations', (example) => {
    const message = hexToBytes(example.message)
    for (const ed25519 of [node, noble]) {
      expect(bytesToHex(ed25519.publicKey(hexToBytes(example.seed)))).toBe(example.publicKey)
      expect(bytesToHex(ed25519.sign(message, hexToBytes(example.seed)))).toBe(example.signature)
    }
    const [signature, publicKey] = [hexToBytes(example.signature), hexToBytes(example.publicKey)]
    expect(verdict({ signature, message, publicKey })).toBe(true)
  })

  it('gives the same keys and signatures in Node and in a browser, and each verifies the other', () => {
    fc.assert(
      fc.property(seeds, messages, (seed, message) => {
        const publicKey = node.publicKey(seed)
        const signature = node.sign(message, seed)
        expect(noble.publicKey(seed)).toEqual(publicKey)
        expect(noble.sign(message, seed)).toEqual(signature)
        expect(verdict({ signature, message, publicKey })).toBe(true)
        expect(ed25519PublicKey(seed)).toEqual(publicKey)
        expect(verifyEd25519({ signature: signEd25519(message, seed), message, publicKey })).toBe(
          true,
        )
      }),
      { numRuns: 30 },
    )
  })

  it('signs a string as UTF-8, with lone surrogates as U+FFFD', () => {
    const seed = new Uint8Array(32)
    for (const text of ['', 'é€💸', 'x\ud800y']) {
      const signature = node.sign(text, seed)
      expect(noble.sign(text, seed)).toEqual(signature)
      const message = new TextEncoder().encode(text)
      expect(verdict({ signature, message, publicKey: node.publicKey(seed) })).toBe(true)
    }
  })

  it('signs the same with a signer, even after the seed is wiped', () => {
    for (const ed25519 of [node, noble, { signer: ed25519Signer }]) {
      const seed = new Uint8Array(32).fill(9)
      const signer = ed25519.signer(seed)
      seed.fill(0)
      expect(signer('text')).toEqual(node.sign('text', new Uint8Array(32).fill(9)))
    }
  })

  it('rejects a seed that is not 32 bytes', () => {
    for (const { sign, publicKey } of [node, noble]) {
      for (const length of [0, 31, 33, 64]) {
        expect(() => sign('', new Uint8Array(length))).toThrow(TypeError)
        expect(() => publicKey(new Uint8Array(length))).toThrow(TypeError)
      }
    }
  })
})

describe('verification, identical in both implementations', () => {
  const seed = new Uint8Array(32).fill(7)
  const message = Uint8Array.of(1, 2, 3)
  const good = { signature: node.sign(message, seed), message, publicKey: node.publicKey(seed) }
  const halves = (r: Uint8Array, s: Uint8Array) => Uint8Array.of(...r, ...s)
  const [r, s] = [good.signature.subarray(0, 32), good.signature.subarray(32)]

  it('rejects any flipped bit of signature, message or key', () => {
    for (const part of ['signature', 'message', 'publicKey'] as const) {
      const bits = Array.from({ length: 8 * good[part].length }, (_, bit) => bit)
      for (const bit of sampleOf(bits, 40)) {
        const changed = Uint8Array.from(good[part])
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(verdict({ ...good, [part]: changed })).toBe(false)
      }
    }
  })

  it('rejects any other length', () => {
    for (const length of [0, 31, 33, 63, 65, 96]) {
      const bytes = Uint8Array.from({ length }, (_, i) => good.signature[i] ?? 0)
      expect(verdict({ ...good, signature: bytes })).toBe(false)
      expect(verdict({ ...good, publicKey: bytes })).toBe(false)
    }
  })

  it('rejects S plus a multiple of the order, which is the same scalar', () => {
    const value = BigInt(`0x${bytesToHex(Uint8Array.from(s).reverse())}`)
    for (let times = 1n; times < 16n; times++) {
      const raised = value + times * Point.Fn.ORDER
      if (raised >= 2n ** 256n) break
      expect(verdict({ ...good, signature: halves(r, littleEndian(raised)) })).toBe(false)
    }
  })

  it('rejects every public key of small order, under which a signature binds nothing', () => {
    // Older OpenSSL versions, as in Node 20, accept them, so we check this ourselves.
    for (const key of TORSION) {
      for (let i = 0; i < 16; i++) {
        const signed = signMoved(Uint8Array.of(i), { a: 0n, r: 5n, A: key, R: Point.ZERO })
        expect(verdict(signed)).toBe(false)
      }
    }
  })

  it('rejects every R of small order', () => {
    for (const moved of TORSION) {
      const signed = signMoved(message, { a: 3n, r: 0n, A: Point.ZERO, R: moved })
      expect(verdict(signed)).toBe(false)
    }
  })

  it('rejects encodings with y not below the prime, or with negative zero as x', () => {
    const prime = 2n ** 255n - 19n
    for (let y = 0n; y < 19n; y++) {
      for (const sign of [0n, 2n ** 255n]) {
        const encoded = littleEndian(prime + y + sign)
        expect(verdict({ ...good, publicKey: encoded })).toBe(false)
        expect(verdict({ ...good, signature: halves(encoded, s) })).toBe(false)
      }
    }
    for (const y of [1n, prime - 1n]) {
      const encoded = littleEndian(y + 2n ** 255n)
      expect(verdict({ ...good, publicKey: encoded })).toBe(false)
      expect(verdict({ ...good, signature: halves(encoded, s) })).toBe(false)
    }
  })

  it('rejects the non-canonical encoding of the identity, under which any message would verify', () => {
    const r = 5n
    const signature = halves(Point.BASE.multiplyUnsafe(r).toBytes(), littleEndian(r))
    const publicKey = littleEndian(2n ** 255n - 18n)
    expect(verdict({ signature, message, publicKey })).toBe(false)
  })

  it('rejects a public key that is not a point', () => {
    const notPoints = Array.from({ length: 40 }, (_, y) => littleEndian(BigInt(y))).filter(
      (key) => {
        try {
          Point.fromBytes(key)
          return false
        } catch {
          return true
        }
      },
    )
    expect(notPoints.length).toBeGreaterThan(5)
    for (const publicKey of notPoints) expect(verdict({ ...good, publicKey })).toBe(false)
  })

  it('uses no cofactor: a torsion part in R or key must cancel out', () => {
    const seen = { passed: 0, refused: 0, cofactored: 0 }
    const scalar = fc.bigInt({ min: 1n, max: Point.Fn.ORDER - 1n })
    const torsion = fc.constantFrom(...TORSION)
    fc.assert(
      fc.property(messages, scalar, scalar, torsion, torsion, (text, a, r, A, R) => {
        const signed = signMoved(text, { a, r, A, R })
        const passed = verdict(signed)
        seen[passed ? 'passed' : 'refused'] += 1
        const { signature, publicKey } = signed
        // The library's own rule accepts all of these, so it cannot be used.
        if (curve.verify(signature, text, publicKey, { zip215: false })) seen.cofactored += 1
        if (A.is0()) expect(passed).toBe(R.is0())
      }),
      { numRuns: 80, seed: 1 },
    )
    expect(seen.cofactored).toBe(80)
    expect(seen.passed).toBeGreaterThan(3)
    expect(seen.refused).toBeGreaterThan(30)
  })
})
