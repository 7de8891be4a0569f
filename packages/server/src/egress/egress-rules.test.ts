import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { checkUrl, type EgressRules, isAddressAllowed, isCidr } from './egress-rules.ts'

const strict: EgressRules = { allowLoopback: false, allowCidrs: [] }
const development: EgressRules = { allowLoopback: true, allowCidrs: [] }
const trusting: EgressRules = { allowLoopback: false, allowCidrs: ['10.20.0.0/16', 'fd12::/16'] }

/** Range, first and last address, and the neighbours outside it that are allowed. */
const IPV4: [string, string, string, string[]][] = [
  ['0/8', '0.0.0.0', '0.255.255.255', ['1.0.0.0']],
  ['10/8', '10.0.0.0', '10.255.255.255', ['9.255.255.255', '11.0.0.0']],
  ['100.64/10', '100.64.0.0', '100.127.255.255', ['100.63.255.255', '100.128.0.0']],
  ['127/8', '127.0.0.0', '127.255.255.255', ['126.255.255.255', '128.0.0.0']],
  ['169.254/16', '169.254.0.0', '169.254.255.255', ['169.253.255.255', '169.255.0.0']],
  ['172.16/12', '172.16.0.0', '172.31.255.255', ['172.15.255.255', '172.32.0.0']],
  ['192.0.0/24', '192.0.0.0', '192.0.0.255', ['191.255.255.255', '192.0.1.0']],
  ['192.0.2/24', '192.0.2.0', '192.0.2.255', ['192.0.1.255', '192.0.3.0']],
  ['192.88.99/24', '192.88.99.0', '192.88.99.255', ['192.88.98.255', '192.88.100.0']],
  ['192.168/16', '192.168.0.0', '192.168.255.255', ['192.167.255.255', '192.169.0.0']],
  ['198.18/15', '198.18.0.0', '198.19.255.255', ['198.17.255.255', '198.20.0.0']],
  ['198.51.100/24', '198.51.100.0', '198.51.100.255', ['198.51.99.255', '198.51.101.0']],
  ['203.0.113/24', '203.0.113.0', '203.0.113.255', ['203.0.112.255', '203.0.114.0']],
  ['224/4', '224.0.0.0', '239.255.255.255', ['223.255.255.255']],
  ['240/4', '240.0.0.0', '255.255.255.255', []],
]

const ONES = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff'
const IPV6: [string, string, string, string[]][] = [
  ['::/128', '::', '::', ['::2']],
  ['::1/128', '::1', '0:0:0:0:0:0:0:1', ['::2']],
  [
    '64:ff9b:1::/48',
    '64:ff9b:1::',
    '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
    ['64:ff9b:0:ffff:ffff:ffff:ffff:ffff', '64:ff9b:2::'],
  ],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff', [`ff:${ONES}`, '100:0:0:1::']],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', [`2000:${ONES}`, '2001:200::']],
  [
    '2001:db8::/32',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ],
  ['2002::/16', '2002::', `2002:${ONES}`, [`2001:${ONES}`, '2003::']],
  ['fc00::/7', 'fc00::', `fdff:${ONES}`, [`fbff:${ONES}`, 'fe00::']],
  ['fe80::/10', 'fe80::', `febf:${ONES}`, [`fe7f:${ONES}`, 'fec0::']],
  ['ff00::/8', 'ff00::', `ffff:${ONES}`, [`feff:${ONES}`]],
]

const ipv4 = fc.ipV4()

describe('isAddressAllowed', () => {
  it.each([...IPV4, ...IPV6])('refuses all of %s and nothing else', (...row) => {
    const [, first, last, neighbours] = row
    expect(isAddressAllowed(first, strict)).toBe(false)
    expect(isAddressAllowed(last, strict)).toBe(false)
    for (const address of neighbours) expect(isAddressAllowed(address, strict)).toBe(true)
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
