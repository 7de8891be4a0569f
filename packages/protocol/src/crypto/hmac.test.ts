import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../base/encoding.ts'
import { hmacSha256 } from './hmac.ts'

describe('hmacSha256', () => {
  it('is that of RFC 4231, test cases 2 and 6', () => {
    const jefe = new TextEncoder().encode('Jefe')
    expect(bytesToHex(hmacSha256(jefe, 'what do ya want for nothing?'))).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    const long = new Uint8Array(131).fill(0xaa)
    const text = 'Test Using Larger Than Block-Size Key - Hash Key First'
    expect(bytesToHex(hmacSha256(long, text))).toBe(
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    )
  })

  it('is that of Node for every key and message', () => {
    const bytes = fc.uint8Array({ maxLength: 200 })
    fc.assert(
      fc.property(bytes, bytes, (key, message) => {
        const expected = createHmac('sha256', key).update(message).digest('hex')
        expect(bytesToHex(hmacSha256(key, message))).toBe(expected)
      }),
    )
  })
})
