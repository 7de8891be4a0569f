import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress, limitKey } from './client-address.ts'

const SOCKET = '198.51.100.7'

function behind(trustedHops: number, forwardedFor: string | string[] | undefined): string {
  return clientAddress({ socketAddress: SOCKET, forwardedFor, trustedHops })
}

describe('clientAddress', () => {
  it('ignores the header without trusted proxies', () => {
    expect(behind(0, '203.0.113.1')).toBe(SOCKET)
    expect(behind(0, '203.0.113.1, 203.0.113.2')).toBe(SOCKET)
  })

  it('returns the entry of the outermost trusted proxy', () => {
    expect(behind(1, '203.0.113.1')).toBe('203.0.113.1')
    expect(behind(2, '203.0.113.1, 10.0.0.1')).toBe('203.0.113.1')
  })

  it('ignores entries before it, which a caller can forge', () => {
    fc.assert(
      fc.property(fc.string(), (forged) => {
        expect(behind(1, `${forged},203.0.113.1`)).toBe('203.0.113.1')
        expect(behind(2, `${forged},203.0.113.1,10.0.0.1`)).toBe('203.0.113.1')
      }),
    )
  })

  it('joins repeated headers', () => {
    expect(behind(1, ['192.0.2.66', '203.0.113.1'])).toBe('203.0.113.1')
    expect(behind(2, ['192.0.2.66, 203.0.113.1', '10.0.0.1'])).toBe('203.0.113.1')
  })

  it('falls back to the socket when there are fewer entries than trusted proxies', () => {
    expect(behind(1, undefined)).toBe(SOCKET)
    expect(behind(1, [])).toBe(SOCKET)
    expect(behind(2, '192.0.2.66')).toBe(SOCKET)
  })

  it.each(['', ' ', 'unknown', '_hidden', 'localhost', '1', '127.1', '0x7f.0.0.1', '010.0.0.1'])(
    'falls back to the socket for %j, which is no address',
    (entry) => {
      expect(behind(1, entry)).toBe(SOCKET)
      expect(behind(1, `203.0.113.1, ${entry}`)).toBe(SOCKET)
    },
  )

  it.each(['1.2.3.4:', '1.2.3.4:x', '[::1', '::1]', '[1.2.3]:4', '256.1.1.1', '1.2.3.4.5', ':::'])(
    'falls back to the socket for the malformed %j',
    (entry) => {
      expect(behind(1, entry)).toBe(SOCKET)
    },
  )

  it.each([
    ['203.0.113.1:4711', '203.0.113.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::ffff:203.0.113.1', '203.0.113.1'],
    ['::ffff:cb00:7101', '203.0.113.1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('normalises %j to %j', (entry, address) => {
    expect(behind(1, entry)).toBe(address)
  })

  it('normalises the socket address too', () => {
    const socket = (socketAddress: string | undefined) =>
      clientAddress({ socketAddress, forwardedFor: undefined, trustedHops: 0 })
    expect(socket('::ffff:127.0.0.1')).toBe('127.0.0.1')
    expect(socket('::1')).toBe('::1')
    expect(socket(undefined)).toBe('unknown')
  })
})

describe('limitKey', () => {
  it('differs for every IPv4 address', () => {
    expect(limitKey('203.0.113.1')).toBe('203.0.113.1')
  })

  it('is the same within an IPv6 /64 and differs in the next', () => {
    expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(limitKey('2001:db8:1:2:ffff::1')).toBe('2001:db8:1:2::/64')
    expect(limitKey('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
    expect(limitKey('::1')).toBe('::/64')
  })

  it('is the same for every spelling of an address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (spelling) => {
        const address = behind(1, spelling)
        expect(behind(1, address)).toBe(address)
        expect(limitKey(address)).toBe(limitKey(behind(1, spelling.toUpperCase())))
      }),
    )
  })

  it('is shared by callers without an address', () => {
    expect(limitKey('unknown')).toBe('unknown')
  })
})
