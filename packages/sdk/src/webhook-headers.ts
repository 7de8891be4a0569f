/** Request headers as web servers provide them: Node's object, or a Fetch `Headers`. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null }

export type Scheme = 'touchstone' | 'standard'

/** The signatures of one scheme. A delivery is genuine if any one of them is valid. */
export type Claim = {
  scheme: Scheme
  /** When it was signed, in Unix seconds. */
  timestamp: number
  /** The part of the signed content that precedes the body. */
  prefix: string
  signatures: readonly Signature[]
}

export type Signature = { algorithm: 'hmac' | 'ed25519'; bytes: Uint8Array<ArrayBuffer> }

/** Parses the signature headers without verifying them, and omits malformed ones. */
export function claimsOf(headers: WebhookHeaders): Claim[] {
  return [touchstoneClaim(headers), standardClaim(headers)].filter((claim) => claim !== undefined)
}

function touchstoneClaim(headers: WebhookHeaders): Claim | undefined {
  const timestamp = parseTimestamp(header(headers, 'x-webhook-timestamp'))
  const hex = /^v1=([0-9a-f]{64})$/.exec(header(headers, 'x-webhook-signature') ?? '')?.[1]
  if (timestamp === undefined || hex === undefined) return undefined
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const signatures = [{ algorithm: 'hmac', bytes }] as const
  return { scheme: 'touchstone', timestamp, prefix: `${timestamp}.`, signatures }
}

function standardClaim(headers: WebhookHeaders): Claim | undefined {
  const timestamp = parseTimestamp(header(headers, 'webhook-timestamp'))
  const id = header(headers, 'webhook-id')
  const list = header(headers, 'webhook-signature')
  if (timestamp === undefined || id === undefined || list === undefined) return undefined
  const signatures = list.split(' ', SIGNATURES_MAX).flatMap(parseStandardSignature)
  return { scheme: 'standard', timestamp, prefix: `${id}.${timestamp}.`, signatures }
}

/** A rotation has at most two secrets and two keys. The limit bounds the work for hostile headers. */
const SIGNATURES_MAX = 10

function parseStandardSignature(text: string): Signature[] {
  const [version, encoded = ''] = text.split(',', 2)
  const bytes = decodeBase64(encoded)
  if (bytes === undefined) return []
  if (version === 'v1') return [{ algorithm: 'hmac', bytes }]
  return version === 'v1a' ? [{ algorithm: 'ed25519', bytes }] : []
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Accepts canonical digits only, so that the signed text and the checked number cannot differ. */
function parseTimestamp(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name]
  // Node joins repeated headers or returns a list; the service never repeats a signature header.
  return typeof value === 'string' ? value : undefined
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
