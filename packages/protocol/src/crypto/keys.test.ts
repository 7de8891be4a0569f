import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../base/encoding.ts'
import { keyId, type PublishedKey, publishedKey } from './keys.ts'
import { ed25519PublicKey } from './signature.ts'

type KeyVectors = { seed: string; keys: PublishedKey[] }
const file = new URL('../../../../vectors/attestation/certificate.json', import.meta.url)
const vectors: KeyVectors = JSON.parse(readFileSync(file, 'utf8'))
const STATE = { createdAt: '2026-01-01T00:00:00.000Z', isActive: true }

describe('publishedKey', () => {
  it('gives the key of the specification', () => {
    const publicKey = ed25519PublicKey(hexToBytes(vectors.seed))
    expect(JSON.stringify(publishedKey(publicKey, STATE))).toBe(
      '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"key-21fe31dfa154a261","use":"sig","alg":"EdDSA","key_id":"key-21fe31dfa154a261","algorithm":"Ed25519","public_key":"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a","created_at":"2026-01-01T00:00:00.000Z","is_active":true}',
    )
  })

  it('gives every key of the vectors, including retired keys', () => {
    for (const key of vectors.keys) {
      const state = { createdAt: key.created_at, isActive: key.is_active }
      expect(publishedKey(hexToBytes(key.public_key), state)).toEqual(key)
      expect(keyId(hexToBytes(key.public_key))).toBe(key.kid)
    }
  })

  it('is a JWK that other software can import', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        const publicKey = ed25519PublicKey(seed)
        const { kty, crv, x } = publishedKey(publicKey, STATE)
        const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
        const der = key.export({ format: 'der', type: 'spki' })
        expect(der.subarray(-32).equals(publicKey)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('rejects anything but 32 bytes', () => {
    expect(() => publishedKey(new Uint8Array(31), STATE)).toThrow(TypeError)
  })
})
