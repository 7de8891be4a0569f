import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { containsAddress, toCidr } from './address-list.ts'

describe('toCidr', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8::1/64', '2001:db8::/64'],
  ])('normalises %s to %s', (text, cidr) => {
    expect(toCidr(text)).toBe(cidr)
  })

  it.each([
    '',
    'localhost',
    '10/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '010.0.0.1',
    'fe80::1%eth0',
    'a/8',
  ])('does not accept %j', (text) => {
    expect(toCidr(text)).toBeUndefined()
  })
})

describe('containsAddress', () => {
  it('finds an address in its own range and in no other', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const own = toCidr(address)
        expect(own !== undefined && containsAddress([own], address)).toBe(true)
        expect(containsAddress([], address)).toBe(false)
      }),
    )
  })

  it('compares IPv4 addresses in IPv6 notation as IPv4', () => {
    expect(containsAddress(['203.0.113.0/24'], '::ffff:203.0.113.9')).toBe(true)
    expect(containsAddress(['203.0.113.0/24'], '203.0.114.0')).toBe(false)
    expect(containsAddress(['2001:db8::/32'], '203.0.113.9')).toBe(false)
    expect(containsAddress(['0.0.0.0/0', '::/0'], 'unknown')).toBe(false)
  })
})
