import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The outside addresses that a tenant may make the service call. Pure: the same text always gets
 * the same answer. The addresses that a name resolves to are checked again on connecting, in
 * egress.ts.
 */

export type EgressRules = {
  /** Development: http and https to localhost, 127/8 and ::1, on any port. */
  allowLoopback: boolean
  /** Private ranges the operator trusts, as in "10.20.0.0/16". They still need https. */
  allowCidrs: readonly string[]
}

export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string }

const URL_LENGTH_MAX = 2048
const UNPRIVILEGED_PORT_MIN = 1024

/** Names that resolve only inside a private network. */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa']

/**
 * The special-purpose ranges of the IANA registries (RFC 6890 and successors), also those that are
 * reachable, because no tenant's server is there, and multicast.
 */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr))

const REFUSED_IPV6 = [
  // Everything outside 2000::/3, which alone is assigned to global unicast (RFC 4291): loopback,
  // IPv4-compatible and translated addresses, SRv6, unique local, link-local, site-local, multicast.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((cidr) => ipaddr.IPv6.parseCIDR(cidr))

/** Ranges whose last four bytes are an IPv4 address, which is the one that would be reached. */
const EMBEDDING_IPV6 = ['::ffff:0:0/96', '64:ff9b::/96'].map((cidr) => ipaddr.IPv6.parseCIDR(cidr))

const LOOPBACK_IPV4 = ipaddr.IPv4.parseCIDR('127.0.0.0/8')
const LOOPBACK_IPV6 = ipaddr.IPv6.parseCIDR('::1/128')

/**
 * Checks the text of a URL. Returns it as normalised by the WHATWG parser, without the root dot,
 * so that `0x7f.1`, `LOCALHOST.` and similar disguises are recognised.
 */
export function checkUrl(text: string, rules: EgressRules): UrlCheck {
  if (text.length > URL_LENGTH_MAX) return refuse(`longer than ${URL_LENGTH_MAX} characters`)
  if (!URL.canParse(text)) return refuse('not a URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must use https')
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  if (url.username !== '' || url.password !== '') return refuse('must not hold user information')
  if (url.href.includes('#')) return refuse('must not hold a fragment')
  if (rules.allowLoopback && isLoopbackHost(hostOf(url))) return { ok: true, url }
  if (url.protocol !== 'https:') return refuse('must use https')
  if (url.port !== '' && Number(url.port) < UNPRIVILEGED_PORT_MIN) {
    return refuse('the port must be 443 or at least 1024')
  }
  const reason = judgeHost(hostOf(url), rules)
  return reason === undefined ? { ok: true, url } : refuse(reason)
}

/** The host in the form that sockets and resolvers expect: IPv6 addresses without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Whether an IP address, as text, is allowed. False for text that is not an address. */
export function isAddressAllowed(address: string, rules: EgressRules): boolean {
  const parsed = parseAddress(address)
  if (parsed === undefined) return false
  if (!isInAny(parsed, parsed.kind() === 'ipv4' ? REFUSED_IPV4 : REFUSED_IPV6)) return true
  if (rules.allowLoopback && isInAny(parsed, [LOOPBACK_IPV4, LOOPBACK_IPV6])) return true
  return isInAny(
    parsed,
    rules.allowCidrs.map((cidr) => ipaddr.parseCIDR(cidr)),
  )
}

/** True for localhost itself, not names under it, and for loopback addresses. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true
  const parsed = parseAddress(host)
  return parsed !== undefined && isInAny(parsed, [LOOPBACK_IPV4, LOOPBACK_IPV6])
}

/** Validates the operator's list at start: "10.0.0.0/8", "fd00::/8". */
export function isCidr(text: string): boolean {
  const [address = ''] = text.split('/')
  // ipaddr.js also accepts octal and shortened forms, which are more likely typing mistakes.
  return isIP(address) !== 0 && ipaddr.isValidCIDR(text)
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

function judgeHost(host: string, rules: EgressRules): string | undefined {
  if (isIP(host) !== 0) {
    return isAddressAllowed(host, rules) ? undefined : 'the address is not allowed'
  }
  if (!host.includes('.')) return 'the host must be a full domain name'
  if (host.split('.').includes('')) return 'the host name has an empty label'
  const isPrivate = PRIVATE_SUFFIXES.some((suffix) => `.${host}`.endsWith(`.${suffix}`))
  return isPrivate ? 'the host is a private name' : undefined
}

function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0) return undefined
  const address = ipaddr.parse(text)
  if (!isInAny(address, EMBEDDING_IPV6)) return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

function isInAny(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  )
}

function refuse(reason: string): UrlCheck {
  return { ok: false, reason }
}
