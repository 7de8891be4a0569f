import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { checkUrl, type EgressRules, isAddressAllowed, isCidr } from './egress-rules.ts'

const strict: EgressRules = { allowLoopback: false, allowCidrs: [] }
const development: EgressRules = { allowLoopback: true, allowCidrs: [] }
const trusting: EgressRules = { allowLoopback: false, allowCidrs: ['10.20.0.0/16', 'fd12::/16'] }

/** Every row of the IANA registries of special-purpose addresses, and other ranges without servers. */
const SPECIAL_IPV4: readonly (readonly [name: string, cidr: string])[] = [
  ['this network', '0.0.0.0/8'],
  ['this host', '0.0.0.0/32'],
  ['private use', '10.0.0.0/8'],
  ['shared address space', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'],
  ['private use', '172.16.0.0/12'],
  ['IETF protocol assignments', '192.0.0.0/24'],
  ['IPv4 service continuity', '192.0.0.0/29'],
  ['IPv4 dummy address', '192.0.0.8/32'],
  ['port control protocol anycast', '192.0.0.9/32'],
  ['relay anycast of TURN', '192.0.0.10/32'],
  ['NAT64 and DNS64 discovery', '192.0.0.170/32'],
  ['NAT64 and DNS64 discovery', '192.0.0.171/32'],
  ['documentation, TEST-NET-1', '192.0.2.0/24'],
  ['AS112', '192.31.196.0/24'],
  ['automatic multicast tunneling', '192.52.193.0/24'],
  ['relay anycast of 6to4', '192.88.99.0/24'],
  ['private use', '192.168.0.0/16'],
  ['direct delegation of AS112', '192.175.48.0/24'],
  ['benchmarking', '198.18.0.0/15'],
  ['documentation, TEST-NET-2', '198.51.100.0/24'],
  ['documentation, TEST-NET-3', '203.0.113.0/24'],
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'],
  ['limited broadcast', '255.255.255.255/32'],
]

const SPECIAL_IPV6: readonly (readonly [name: string, cidr: string])[] = [
  ['loopback', '::1/128'],
  ['unspecified', '::/128'],
  ['IPv4-compatible', '::/96'],
  ['SIIT, translated IPv4', '::ffff:0:0:0/96'],
  ['local-use translation', '64:ff9b:1::/48'],
  ['discard only', '100::/64'],
  ['dummy prefix', '100:0:0:1::/64'],
  ['IETF protocol assignments', '2001::/23'],
  ['Teredo', '2001::/32'],
  ['port control protocol anycast', '2001:1::1/128'],
  ['relay anycast of TURN', '2001:1::2/128'],
  ['anycast of DNS-SD service registration', '2001:1::3/128'],
  ['benchmarking', '2001:2::/48'],
  ['automatic multicast tunneling', '2001:3::/32'],
  ['AS112', '2001:4:112::/48'],
  ['ORCHID', '2001:10::/28'],
  ['ORCHIDv2', '2001:20::/28'],
  ['drone remote ids', '2001:30::/28'],
  ['documentation', '2001:db8::/32'],
  ['6to4', '2002::/16'],
  ['direct delegation of AS112', '2620:4f:8000::/48'],
  ['documentation', '3fff::/20'],
  ['segment routing identifiers', '5f00::/16'],
  ['unique local', 'fc00::/7'],
  ['link-local', 'fe80::/10'],
  ['site-local', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
]

/** Addresses just outside a refused range. */
const PUBLIC = [
  ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.1.0', '192.0.3.0', '192.31.195.255', '192.31.197.0'],
  ['192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0', '192.167.255.255'],
  ['192.169.0.0', '192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ['2000::', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::', '2001:db9::', '2003::'],
  ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8001::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
].flat()

/** An address of the range with these host bits, in the registry's own notation. */
function addressIn(cidr: string, hostBits: (byte: number) => number): string {
  const [network, bits] = ipaddr.parseCIDR(cidr)
  const bytes = network.toByteArray().map((byte, index) => {
    const free = Math.min(Math.max((index + 1) * 8 - bits, 0), 8)
    const mask = 2 ** free - 1
    return (byte & ~mask) | (hostBits(index) & mask)
  })
  return ipaddr.fromByteArray(bytes).toString()
}

const ipv4 = fc.ipV4()

describe('isAddressAllowed', () => {
  it.each([...SPECIAL_IPV4, ...SPECIAL_IPV6])('refuses all of %s, %s', (_, cidr) => {
    const bits = fc.infiniteStream(fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(0, 255), bits), (host) => {
        const address = addressIn(cidr, () =>
          typeof host === 'number' ? host : (host.next().value ?? 0),
        )
        expect(isAddressAllowed(address, strict), address).toBe(false)
      }),
    )
  })

  it.each(PUBLIC)('allows %s, which is next to a refused range', (address) => {
    expect(isAddressAllowed(address, strict)).toBe(true)
  })

  it('allows no IPv6 address outside global unicast, except those that embed a public IPv4 one', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const parsed = ipaddr.IPv6.parse(address)
        fc.pre(!parsed.isIPv4MappedAddress() && !address.toLowerCase().startsWith('64:ff9b:'))
        const first = parsed.toByteArray()[0] ?? 0
        if (first >> 5 !== 1) expect(isAddressAllowed(address, strict)).toBe(false)
      }),
    )
  })

  it('lets the embedded IPv4 address decide, however the IPv6 one is written', () => {
    fc.assert(
      fc.property(ipv4, fc.constantFrom('::ffff:', '64:ff9b::'), (address, prefix) => {
        const allowed = isAddressAllowed(address, strict)
        const dotted = prefix + address
        const full = ipaddr.IPv6.parse(dotted)
        for (const form of [
          dotted,
          dotted.toUpperCase(),
          full.toNormalizedString(),
          full.toString(),
        ]) {
          expect(isAddressAllowed(form, strict)).toBe(allowed)
          expect(isAddressAllowed(form, development)).toBe(isAddressAllowed(address, development))
        }
      }),
    )
  })

  it.each(['', 'localhost', '1.2.3', '0x7f.1', '1.1.1.1.1', '[::1]', '8.8.8.8/32', '08.8.8.8'])(
    'does not accept %j as an address',
    (text) => {
      expect(isAddressAllowed(text, development)).toBe(false)
    },
  )

  it('refuses a link-local address with a zone', () => {
    expect(isAddressAllowed('fe80::1%eth0', strict)).toBe(false)
  })

  it('opens only the loopback ranges for development', () => {
    for (const address of ['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1']) {
      expect(isAddressAllowed(address, development)).toBe(true)
    }
    for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', 'fe80::1']) {
      expect(isAddressAllowed(address, development)).toBe(false)
    }
  })

  it('opens only the ranges the operator lists', () => {
    for (const address of ['10.20.0.0', '10.20.255.255', '::ffff:10.20.1.1', 'fd12::1']) {
      expect(isAddressAllowed(address, trusting)).toBe(true)
    }
    for (const address of ['10.19.255.255', '10.21.0.0', 'fd13::', '127.0.0.1']) {
      expect(isAddressAllowed(address, trusting)).toBe(false)
    }
  })
})

describe('checkUrl', () => {
  it.each([
    ['https://example.com/hook?a=1', 'https://example.com/hook?a=1'],
    ['HTTPS://EXAMPLE.com.:443/', 'https://example.com/'],
    ['https://example.com:1024/', 'https://example.com:1024/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1]/', 'https://[2606:4700::1]/'],
    ['https://notlocalhost.example/', 'https://notlocalhost.example/'],
    ['https://mylocal.example/', 'https://mylocal.example/'],
  ])('allows %s', (text, href) => {
    const check = checkUrl(text, strict)
    expect(check.ok && check.url.href).toBe(href)
  })

  it.each([
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['javascript:alert(1)', 'https'],
    ['example.com', 'not a URL'],
    ['', 'not a URL'],
    ['https://', 'not a URL'],
    ['https://1.2.3.4.5/', 'not a URL'],
    ['https://user@example.com/', 'user information'],
    ['https://:pass@example.com/', 'user information'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com/#', 'fragment'],
    ['https://example.com:80/', 'port'],
    ['https://example.com:1023/', 'port'],
    ['https://example.com:0/', 'port'],
    [`https://example.com/${'a'.repeat(2029)}`, 'longer'],
    ['https://intranet/', 'full domain'],
    ['https://intranet./', 'full domain'],
    ['https://example..com/', 'empty label'],
    ['https://example.com../', 'empty label'],
    ['https://localhost/', 'full domain'],
    ['https://LOCALHOST./', 'full domain'],
    ['https://a.localhost/', 'private'],
    ['https://printer.local/', 'private'],
    ['https://printer.LOCAL./', 'private'],
    ['https://metadata.google.internal/', 'private'],
    ['https://router.home.arpa/', 'private'],
    ['https://home.arpa/', 'private'],
  ])('refuses %s', (text, reason) => {
    expect(checkUrl(text, strict)).toEqual({ ok: false, reason: expect.stringContaining(reason) })
  })

  it('accepts a URL of 2048 characters', () => {
    expect(checkUrl(`https://example.com/${'a'.repeat(2028)}`, strict).ok).toBe(true)
  })
})

describe('checkUrl of an address in disguise', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '169.254.169.254',
    '[fd00:ec2::254]',
  ])('sees through the host %s', (host) => {
    expect(checkUrl(`https://${host}/`, strict)).toEqual({
      ok: false,
      reason: 'the address is not allowed',
    })
  })
})

describe('ranges that an operator can open', () => {
  it.each([
    'http://localhost/',
    'http://localhost:80/',
    'https://LOCALHOST.:22/',
    'http://127.9.9.9:1/',
  ])('allows %s for development only', (text) => {
    expect(checkUrl(text, development).ok).toBe(true)
    expect(checkUrl(text, strict).ok).toBe(false)
  })

  it.each([
    'http://example.com/',
    'http://a.localhost/',
    'http://10.0.0.1/',
    'http://u@localhost/',
    'http://localhost/#x',
    'ftp://localhost/',
    'http://[::ffff:10.0.0.1]/',
  ])('refuses %s in development too', (text) => {
    expect(checkUrl(text, development).ok).toBe(false)
  })

  it('still needs https and a permitted port in the ranges the operator lists', () => {
    expect(checkUrl('https://10.20.3.4/', trusting).ok).toBe(true)
    expect(checkUrl('http://10.20.3.4/', trusting).ok).toBe(false)
    expect(checkUrl('https://10.20.3.4:22/', trusting).ok).toBe(false)
    expect(checkUrl('https://10.21.3.4/', trusting).ok).toBe(false)
  })

  it('reads ranges in their full form only', () => {
    for (const text of ['10.0.0.0/8', 'fd00::/8', '10.1.2.3/32']) expect(isCidr(text)).toBe(true)
    for (const text of [
      '10.0.0.0',
      '10/8',
      '10.0.0.0/33',
      'fd00::/129',
      '',
      '/8',
      'a/8',
      '010.0.0.0/8',
    ]) {
      expect(isCidr(text)).toBe(false)
    }
  })
})
