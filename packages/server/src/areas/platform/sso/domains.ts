import { domainToASCII } from 'node:url'

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = new RegExp(`^(?=.{3,253}$)(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`)

/** A mail domain as it is stored and compared: lower case, international names in their A-form. */
export function toDomain(given: string): string | undefined {
  const text = given.trim().toLowerCase()
  // domainToASCII parses its input like a URL host and would silently drop a path or port.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return undefined
  const domain = domainToASCII(text)
  return DOMAIN.test(domain) ? domain : undefined
}

/**
 * The address, trimmed and lower-cased (spec: platform §1.1), or `undefined` if it is malformed.
 */
export function toAddress(given: string): string | undefined {
  const address = given.trim().toLowerCase()
  if (address.length > 254) return undefined
  return /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address) ? address : undefined
}

/** The domain of an address: the part after the @. */
export function domainOf(address: string): string | undefined {
  return toDomain(address.slice(address.lastIndexOf('@') + 1))
}
