import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress, limitKey } from './client-address.ts'

const SOCKET = '198.51.100.7'

function behind(trustedHops: number, forwardedFor: string | string[] | undefined): string {
  return clientAddress({ socketAddress: SOCKET, forwardedFor, trustedHops })
}

describe('clientAddress', () => {
  it('believes no header when no proxy is trusted', () => {
    expect(behind(0, '203.0.113.1')).toBe(SOCKET)
    expect(behind(0, '203.0.113.1, 203.0.113.2')).toBe(SOCKET)
  })

  it('takes the entry the outermost trusted proxy wrote', () => {
    expect(behind(1, '203.0.113.1')).toBe('203.0.113.1')
    expect(behind(2, '203.0.113.1, 10.0.0.1')).toBe('203.0.113.1')
  })

  it('ignores whatever a caller put before it', () => {
    fc.assert(
      fc.property(fc.string(), (forged) => {
        expect(behind(1, `${forged},203.0.113.1`)).toBe('203.0.113.1')
        expect(behind(2, `${forged},203.0.113.1,10.0.0.1`)).toBe('203.0.113.1')
      }),
    )
  })

  it('reads repeated headers as one list', () => {
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
  ])('writes %j as %j', (entry, address) => {
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
  it('counts IPv4 callers one by one', () => {
    expect(limitKey('203.0.113.1')).toBe('203.0.113.1')
  })

  it('counts all addresses of one IPv6 /64 as one caller, and those of the next as another', () => {
    expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(limitKey('2001:db8:1:2:ffff::1')).toBe('2001:db8:1:2::/64')
    expect(limitKey('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
    expect(limitKey('::1')).toBe('::/64')
  })

  it('gives every spelling of an address the same key', () => {
    fc.assert(
      fc.property(fc.ipV6(), (spelling) => {
        const address = behind(1, spelling)
        expect(behind(1, address)).toBe(address)
        expect(limitKey(address)).toBe(limitKey(behind(1, spelling.toUpperCase())))
      }),
    )
  })

  it('counts callers without an address as one', () => {
    expect(limitKey('unknown')).toBe('unknown')
  })
})
