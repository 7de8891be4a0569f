import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecretBox } from './secrets.ts'

const box = createSecretBox(randomBytes(32))

describe('secret box', () => {
  it('opens to the sealed text, and seals the same text differently each time', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (plain, purpose) => {
        const sealed = box.seal(plain, purpose)
        expect(box.open(sealed, purpose)).toBe(plain)
        expect(box.seal(plain, purpose)).not.toBe(sealed)
      }),
    )
  })

  it('does not open with a changed bit, a different purpose or a different key', () => {
    const sealed = box.seal('secret', 'a')
    const bytes = Buffer.from(sealed.slice(3), 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => box.open(`v1.${changed.toString('base64')}`, 'a')).toThrow()
    }
    expect(() => box.open(sealed, 'b')).toThrow()
    expect(() => createSecretBox(randomBytes(32)).open(sealed, 'a')).toThrow()
    for (const nonsense of ['', 'v1.', 'v2.AAAA', 'plain']) {
      expect(() => box.open(nonsense, 'a')).toThrow()
    }
  })

  it('requires a key of 32 bytes', () => {
    expect(() => createSecretBox(randomBytes(31))).toThrow('SECRET_KEY')
  })
})
