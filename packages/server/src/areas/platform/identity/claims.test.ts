import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findKey, type PublicJwk, readClaims, readHeader, readKeySet } from './claims.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const seconds = now.getTime() / 1000
const good = { iss: 'https://id.example', sub: 'a', aud: 'x', iat: seconds, exp: seconds + 900 }

describe('readHeader', () => {
  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('accepts algorithm %s', (alg) => {
    expect(readHeader({ alg, kid: 'k' })).toEqual({ alg, kid: 'k' })
  })

  it.each(['none', 'None', 'HS256', 'HS512', 'RS512', 'ES384', '', 'toString', 7, undefined])(
    'refuses algorithm %s',
    (alg) => {
      expect(readHeader({ alg, kid: 'k' })).toBeUndefined()
    },
  )

  it('requires a key id', () => {
    expect(readHeader({ alg: 'RS256' })).toBeUndefined()
    expect(readHeader({ alg: 'RS256', kid: '' })).toBeUndefined()
  })
})

describe('readClaims', () => {
  it.each(['iss', 'sub', 'aud', 'iat', 'exp'])('requires %s', (claim) => {
    expect(readClaims({ ...good, [claim]: undefined }, now)).toBeUndefined()
  })

  it('allows 60 seconds of clock skew and no more', () => {
    expect(readClaims({ ...good, iat: seconds - 900, exp: seconds - 59 }, now)).toBeDefined()
    expect(readClaims({ ...good, iat: seconds - 900, exp: seconds - 60 }, now)).toBeUndefined()
    expect(readClaims({ ...good, iat: seconds + 60 }, now)).toBeDefined()
    expect(readClaims({ ...good, iat: seconds + 61 }, now)).toBeUndefined()
  })

  it('allows a lifetime of 24 hours and no more', () => {
    expect(readClaims({ ...good, exp: seconds + 86_400 }, now)).toBeDefined()
    expect(readClaims({ ...good, exp: seconds + 86_401 }, now)).toBeUndefined()
    expect(readClaims({ ...good, exp: good.iat }, now)).toBeUndefined()
  })

  it('refuses subjects that are empty, too long, not text or not storable', () => {
    for (const sub of ['', 'a\u0000b', 'a\ud800', 'x'.repeat(256), 7]) {
      expect(readClaims({ ...good, sub }, now)).toBeUndefined()
    }
  })

  it('never throws, whatever the input', () => {
    fc.assert(fc.property(fc.anything(), (value) => void readClaims(value, now)))
    fc.assert(fc.property(fc.anything(), (value) => void readHeader(value)))
    fc.assert(fc.property(fc.anything(), (value) => void readKeySet(value)))
  })
})

describe('findKey', () => {
  const rsa: PublicJwk = { kty: 'RSA', kid: 'r', n: 'n', e: 'AQAB' }
  const ec: PublicJwk = { kty: 'EC', kid: 'e', crv: 'P-256', x: 'x', y: 'y' }

  it('matches the kind of key to the algorithm', () => {
    expect(findKey([rsa, ec], { alg: 'RS256', kid: 'r' })).toBe(rsa)
    expect(findKey([rsa, ec], { alg: 'ES256', kid: 'e' })).toBe(ec)
    expect(findKey([rsa, ec], { alg: 'ES256', kid: 'r' })).toBeUndefined()
    expect(findKey([rsa, ec], { alg: 'RS256', kid: 'e' })).toBeUndefined()
    expect(findKey([{ ...ec, crv: 'P-384' }], { alg: 'ES256', kid: 'e' })).toBeUndefined()
  })

  it('respects the use, algorithm and operations the issuer declares for a key', () => {
    const header = { alg: 'RS256', kid: 'r' } as const
    expect(findKey([{ ...rsa, use: 'enc' }], header)).toBeUndefined()
    expect(findKey([{ ...rsa, alg: 'PS256' }], header)).toBeUndefined()
    expect(findKey([{ ...rsa, key_ops: ['sign'] }], header)).toBeUndefined()
    expect(
      findKey([{ ...rsa, use: 'sig', alg: 'RS256', key_ops: ['verify'] }], header),
    ).toBeDefined()
  })
})

describe('readKeySet', () => {
  it('drops private parts and keys without an id', () => {
    const keys = [{ kty: 'OKP', crv: 'Ed25519', kid: 'a', x: 'x', d: 'secret' }, { kty: 'RSA' }, 7]
    expect(readKeySet({ keys })).toEqual([{ kty: 'OKP', crv: 'Ed25519', kid: 'a', x: 'x' }])
  })

  it('distinguishes a document that is no key set from an empty key set', () => {
    expect(readKeySet({ keys: [] })).toEqual([])
    expect(readKeySet({})).toBeUndefined()
    expect(readKeySet('<html>')).toBeUndefined()
  })
})
