import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import {
  base64ToBytes,
  bytesToBase64,
  bytesToBase64Url,
  bytesToHex,
  equalBytes,
  hexToBytes,
  isHashHex,
} from './encoding.ts'

const bytes = fc.uint8Array({ maxLength: 100 })

describe('encoding', () => {
  it('writes any bytes like Node and reads them back', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        expect(bytesToHex(value)).toBe(Buffer.from(value).toString('hex'))
        expect(bytesToBase64(value)).toBe(Buffer.from(value).toString('base64'))
        expect(bytesToBase64Url(value)).toBe(Buffer.from(value).toString('base64url'))
        expect(hexToBytes(bytesToHex(value))).toEqual(value)
        expect(base64ToBytes(bytesToBase64(value))).toEqual(value)
      }),
    )
  })

  it('accepts only the canonical base64 that it writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ABgh/+=-_ \n'), maxLength: 8 }), (text) => {
        const read = base64ToBytes(text)
        if (read !== undefined) expect(bytesToBase64(read)).toBe(text)
      }),
      runs(2000),
    )
    for (const text of ['QR==', 'QQ', 'QQ=', ' QQ==', 'QQ==\n', 'Q===', '-_==', 'é===']) {
      expect(base64ToBytes(text)).toBeUndefined()
    }
  })

  it.each(['0', 'AB', '0x00', 'zz', '00\n', ' 00'])('rejects %j as hex', (text) => {
    expect(() => hexToBytes(text)).toThrow(TypeError)
  })

  it('recognises a hash by its form', () => {
    expect(isHashHex('0'.repeat(64))).toBe(true)
    for (const text of [
      '',
      '0'.repeat(63),
      '0'.repeat(65),
      'A'.repeat(64),
      `${'0'.repeat(64)}\n`,
    ]) {
      expect(isHashHex(text)).toBe(false)
    }
  })

  it('treats byte arrays of different lengths as unequal', () => {
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1))).toBe(true)
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 2))).toBe(false)
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1))).toBe(false)
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(2))).toBe(false)
  })
})
