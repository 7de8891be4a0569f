import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

type AddressSource = {
  /** Undefined on a closed connection and on a Unix socket. */
  socketAddress: string | undefined
  forwardedFor: string | readonly string[] | undefined
  /** The number of trusted proxies, each of which appends the address of its client. */
  trustedHops: number
}

/** Shared by all callers without an address, which would otherwise bypass the limits. */
const UNKNOWN = 'unknown'

const MAPPED = '::ffff:'

/**
 * The normalised address of the caller, for logs and the audit log.
 *
 * Trusted proxies wrote only the last `trustedHops` entries of X-Forwarded-For; the caller can
 * forge the others. A request with fewer entries, or an invalid one, did not pass through these
 * proxies, so the address of the socket is used, which cannot be forged.
 */
export function clientAddress({ socketAddress, forwardedFor, trustedHops }: AddressSource): string {
  const forwarded = trustedHops > 0 ? entryFromRight(forwardedFor, trustedHops) : undefined
  return normalise(forwarded) ?? normalise(socketAddress) ?? UNKNOWN
}

/**
 * The key of the address for rate limits. An IPv6 customer usually has a whole /64, so counting
 * single addresses would give each of them 2^64 allowances.
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

/** Validates with Node, because ipaddr.js also accepts `1`, `0x7f.1` and octal parts. */
function normalise(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (isIPv4(text)) return text
  // A dual-stack socket reports IPv4 addresses in this form, so it is the usual case.
  if (text.startsWith(MAPPED) && isIPv4(text.slice(MAPPED.length))) return text.slice(MAPPED.length)
  if (!isIPv6(text)) return undefined
  // The zone (`fe80::1%eth0`) is an interface of this machine and does not identify the caller.
  const address = ipaddr.IPv6.parse(text.replace(/%.*$/, ''))
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString()
}
