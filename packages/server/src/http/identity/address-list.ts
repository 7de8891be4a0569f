import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Normalises an address or a range to CIDR notation, its host bits cleared. Undefined if the text is
 * neither.
 */
export function toCidr(text: string): string | undefined {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (isIP(address) === 0) return undefined
  // An IPv4 address in IPv6 notation is that IPv4 address.
  const parsed = prefix === undefined ? ipaddr.process(address) : ipaddr.parse(address)
  const bitsMax = parsed.kind() === 'ipv4' ? 32 : 128
  const bits = prefix === undefined ? bitsMax : Number(prefix)
  if (bits > bitsMax) return undefined
  const parser = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${parser.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`
}

/** Whether one of the ranges contains the address. False for text that is not an address. */
export function containsAddress(ranges: readonly string[], address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.process(address)
  return ranges.some((cidr) => {
    const [network, bits] = ipaddr.parseCIDR(cidr)
    return network.kind() === parsed.kind() && parsed.match(network, bits)
  })
}
