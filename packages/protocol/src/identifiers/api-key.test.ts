import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { sha256Hex } from '../crypto/hash.ts'
import { formatApiKey, isWellFormedApiKey } from './api-key.ts'

const base62 = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
const random32 = fc.string({ unit: base62, minLength: 32, maxLength: 32 })

describe('formatApiKey', () => {
  it.each([
    {
      random: '0123456789ABCDEFGHIJKLMNOPQRSTUV',
      key: 'tsk_0123456789ABCDEFGHIJKLMNOPQRSTUV3fo7jf',
      hash: '144d5dc60da47e006f193be284e14796380140d3f70b631d36a869397ec016e3',
    },
    {
      random: 'a'.repeat(32),
      key: 'tsk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1isIz1',
      hash: 'f2b9dadc11ab18de8c094d31edc3b96e4059eb78a850c217287d75b125371dd2',
    },
  ])('gives the published key and hash for $random', ({ random, key, hash }) => {
    expect(formatApiKey(random)).toBe(key)
    expect(sha256Hex(key)).toBe(hash)
  })

  it.each(['', 'a'.repeat(31), 'a'.repeat(33), `${'a'.repeat(31)}-`, `${'a'.repeat(31)}é`])(
    'rejects %j as the random part',
    (random) => {
      expect(() => formatApiKey(random)).toThrow(TypeError)
    },
  )
})

describe('isWellFormedApiKey', () => {
  it('accepts every formatted key', () => {
    fc.assert(
      fc.property(random32, (random) => {
        expect(isWellFormedApiKey(formatApiKey(random))).toBe(true)
      }),
    )
  })

  it('rejects a key with any single character changed', () => {
    const character = fc.oneof(base62, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
    const index = fc.nat({ max: 41 })
    fc.assert(
      fc.property(random32, index, character, (random, at, replacement) => {
        const key = formatApiKey(random)
        const changed = key.slice(0, at) + replacement + key.slice(at + 1)
        fc.pre(changed !== key)
        expect(isWellFormedApiKey(changed)).toBe(false)
      }),
      runs(2000),
    )
  })

  it.each(['', 'tsk_', 'tsk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'eyJhbGciOiJFZERTQSJ9.e30.x'])(
    'rejects %j',
    (key) => {
      expect(isWellFormedApiKey(key)).toBe(false)
    },
  )

  it('rejects a valid key with anything added before or after it', () => {
    const key = formatApiKey('a'.repeat(32))
    for (const text of [`${key}\n`, ` ${key}`, `${key}1`, key.slice(0, -1)]) {
      expect(isWellFormedApiKey(text)).toBe(false)
    }
  })
})
