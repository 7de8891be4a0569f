import { ed25519PublicKey, signEd25519, verifyEd25519 } from '@touchstone/protocol/crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sodium } from './libsodium.ts'
import { verifySignature } from './verify-signature.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const IDENTITY = Uint8Array.of(1, ...new Uint8Array(31))
/** Order 8, canonically encoded. */
const SMALL = Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')

type Signed = Parameters<typeof verifySignature>[0]

/** Both must agree, also about what libsodium alone would judge. */
function verdictOn(signed: Signed): boolean {
  const strict = verifyEd25519(signed)
  expect(verifySignature(signed)).toBe(strict)
  return strict
}

describe('verifying with libsodium', () => {
  it('is possible here, or the other tests compare nothing', () => {
    expect(sodium).toBeDefined()
  })

  it('accepts signatures, of text and of bytes', () => {
    fc.assert(
      fc.property(bytes(32), fc.oneof(fc.string(), fc.uint8Array()), (seed, message) => {
        const publicKey = ed25519PublicKey(seed)
        const signature = signEd25519(message, seed)
        expect(verdictOn({ signature, message, publicKey })).toBe(true)
      }),
    )
  })

  it('refuses a signature with any bit changed, and those of other keys and texts', () => {
    fc.assert(
      fc.property(bytes(32), fc.nat(511), (seed, bit) => {
        const publicKey = ed25519PublicKey(seed)
        const signature = signEd25519('text', seed)
        const changed = signature.map((byte, i) =>
          i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte,
        )
        expect(verdictOn({ signature: changed, message: 'text', publicKey })).toBe(false)
        expect(verdictOn({ signature, message: 'texts', publicKey })).toBe(false)
        expect(verdictOn({ signature, message: 'text', publicKey: changed.subarray(0, 32) })).toBe(
          false,
        )
      }),
    )
  })

  it.each([
    ['a key of small order', new Uint8Array(64), SMALL],
    ['the identity as key and R', Buffer.concat([IDENTITY, new Uint8Array(32)]), IDENTITY],
    ['a short signature', new Uint8Array(63), SMALL],
    ['a short key', new Uint8Array(64), new Uint8Array(31)],
    ['S above the order', new Uint8Array(64).fill(255), ed25519PublicKey(new Uint8Array(32))],
  ])('refuses %s', (_, signature, publicKey) => {
    expect(verdictOn({ signature, message: 'text', publicKey })).toBe(false)
  })
})
