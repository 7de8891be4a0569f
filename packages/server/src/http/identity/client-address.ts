import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

type AddressSource = {
  /** Undefined on a closed connection and on a Unix socket. */
  socketAddress: string | undefined
  forwardedFor: string | readonly string[] | undefined
  /** Proxies of ours in front, each of which appends the address it was called from. */
  trustedHops: number
}

/** All callers without an address count as one; letting each pass would be a way round. */
const UNKNOWN = 'unknown'

const MAPPED = '::ffff:'

/**
 * The caller's address, in one spelling, for logs and the audit trail.
 *
 * Only the last `trustedHops` entries of X-Forwarded-For were written by our own proxies; all to
 * the left of them is the caller's own claim. A header shorter than that, or an entry that is no
 * address, did not come through those proxies: then the socket, which cannot be forged, speaks.
 */
export function clientAddress({ socketAddress, forwardedFor, trustedHops }: AddressSource): string {
  const forwarded = trustedHops > 0 ? entryFromRight(forwardedFor, trustedHops) : undefined
  return normalise(forwarded) ?? normalise(socketAddress) ?? UNKNOWN
}

/**
 * The address as rate limits see it. A single IPv6 customer commonly holds a whole /64, so
 * counting single addresses would hand out 2^64 allowances.
 */
export function limitKey(address: string): string {
  if (!isIPv6(address)) return address
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${new ipaddr.IPv6([...network, 0, 0, 0, 0]).toString()}/64`
}

function entryFromRight(header: AddressSource['forwardedFor'], hops: number): string | undefined {
  const joined = typeof header === 'string' ? header : header?.join(',')
  const entry = joined?.split(',').at(-hops)?.trim()
  return entry === undefined ? undefined : withoutPort(entry)
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  const match = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(entry)
  return match?.[1] ?? match?.[2] ?? entry
}

/** Strict parsing by Node; ipaddr.js alone would also read `1`, `0x7f.1` and octal parts. */
function normalise(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (isIPv4(text)) return text
  // How a socket for both versions spells IPv4, and so most addresses of most requests.
  if (text.startsWith(MAPPED) && isIPv4(text.slice(MAPPED.length))) return text.slice(MAPPED.length)
  if (!isIPv6(text)) return undefined
  // The zone (`fe80::1%eth0`) names an interface of this machine, not the caller.
  const address = ipaddr.IPv6.parse(text.replace(/%.*$/, ''))
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString()
}
