/** What a web server gives of a request's headers: an object as Node has it, or a Fetch `Headers`. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null }

export type Scheme = 'touchstone' | 'standard'

/** One way a delivery says it is genuine; any that holds is enough. */
export type Claim = {
  scheme: Scheme
  /** Unix seconds of signing. */
  timestamp: number
  /** What comes before the body in what was signed. */
  prefix: string
  signatures: readonly Signature[]
}

export type Signature = { algorithm: 'hmac' | 'ed25519'; bytes: Uint8Array<ArrayBuffer> }

/** The claims a delivery makes. Nothing is checked yet; what cannot be read is left out. */
export function claimsOf(headers: WebhookHeaders): Claim[] {
  return [touchstoneClaim(headers), standardClaim(headers)].filter((claim) => claim !== undefined)
}

function touchstoneClaim(headers: WebhookHeaders): Claim | undefined {
  const timestamp = readTimestamp(header(headers, 'x-webhook-timestamp'))
  const hex = /^v1=([0-9a-f]{64})$/.exec(header(headers, 'x-webhook-signature') ?? '')?.[1]
  if (timestamp === undefined || hex === undefined) return undefined
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const signatures = [{ algorithm: 'hmac', bytes }] as const
  return { scheme: 'touchstone', timestamp, prefix: `${timestamp}.`, signatures }
}

function standardClaim(headers: WebhookHeaders): Claim | undefined {
  const timestamp = readTimestamp(header(headers, 'webhook-timestamp'))
  const id = header(headers, 'webhook-id')
  const list = header(headers, 'webhook-signature')
  if (timestamp === undefined || id === undefined || list === undefined) return undefined
  const signatures = list.split(' ', SIGNATURES_MAX).flatMap(readStandard)
  return { scheme: 'standard', timestamp, prefix: `${id}.${timestamp}.`, signatures }
}

/** Two secrets and two keys during rotations are the most there can be; more is somebody's game. */
const SIGNATURES_MAX = 10

function readStandard(text: string): Signature[] {
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

/** Digits only, so that the text that was signed is the number that is judged. */
function readTimestamp(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name]
  // Node joins a repeated header or lists it; a signature sent twice is not ours.
  return typeof value === 'string' ? value : undefined
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
