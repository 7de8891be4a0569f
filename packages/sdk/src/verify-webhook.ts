import {
  type Claim,
  claimsOf,
  decodeBase64,
  type Scheme,
  type Signature,
  type WebhookHeaders,
} from './webhook-headers.ts'

/** spec: interface, Delivery and signing. Older or newer timestamps are refused. */
const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'
const PUBLIC_KEY_PREFIX = 'whpk_'

export type WebhookCheck = {
  /** The raw request body, before any parsing. */
  body: string | Uint8Array
  headers: WebhookHeaders
  /** The endpoint's signing secret, `whsec_…`; a list during a rotation. */
  secret?: string | readonly string[]
  /**
   * The service's public keys, `whpk_…` in GET /v1/keys, to verify without a secret. They sign the
   * deliveries to all customers, so check that the event's `account_id` is yours.
   */
  publicKeys?: readonly string[]
  /** The current time; the system clock by default. */
  now?: Date
  toleranceSeconds?: number
}

export type WebhookEvent = {
  /** The same for every delivery of one event; store it to process each event once. */
  id: string
  [field: string]: unknown
}

export type VerifiedWebhook = { event: WebhookEvent; scheme: Scheme; signedAt: Date }

export type WebhookErrorCode = 'unsigned' | 'expired' | 'forged' | 'unreadable'

/** Thrown for a delivery that must not be trusted. Answer 400 or 401 and ignore the body. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.name = 'WebhookError'
    this.code = code
  }
}

/**
 * Returns the event of a genuine delivery and throws a WebhookError for any other. The platform's
 * Web Crypto compares signatures in constant time.
 */
export async function verifyWebhook(check: WebhookCheck): Promise<VerifiedWebhook> {
  const keys = await importKeys(check)
  const claims = claimsOf(check.headers)
  if (claims.length === 0) throw new WebhookError('unsigned', 'The signature headers are missing.')
  const now = (check.now ?? new Date()).getTime() / 1000
  const tolerance = check.toleranceSeconds ?? TOLERANCE_SECONDS
  const fresh = claims.filter(({ timestamp }) => Math.abs(now - timestamp) <= tolerance)
  if (fresh.length === 0) {
    throw new WebhookError('expired', `The timestamp is more than ${tolerance} seconds off.`)
  }
  const body = typeof check.body === 'string' ? new TextEncoder().encode(check.body) : check.body
  for (const claim of fresh) {
    if (!(await isGenuine(claim, body, keys))) continue
    const signedAt = new Date(claim.timestamp * 1000)
    return { event: readEvent(body), scheme: claim.scheme, signedAt }
  }
  throw new WebhookError('forged', 'No signature matches. Check the secret and use the raw body.')
}

/** Derived, because the global CryptoKey type differs between Node and browsers. */
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

type Keys = Readonly<Record<Scheme, readonly CryptoKey[]>> & { ed25519: readonly CryptoKey[] }

/** A malformed key is the receiver's mistake, so it is a TypeError and not a WebhookError. */
async function importKeys({ secret = [], publicKeys = [] }: WebhookCheck): Promise<Keys> {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length + publicKeys.length === 0) {
    throw new TypeError('verifyWebhook: a secret or a public key is required')
  }
  const encoder = new TextEncoder()
  return {
    touchstone: await Promise.all(secrets.map((text) => hmacKey(encoder.encode(text)))),
    standard: await Promise.all(secrets.map((text) => hmacKey(keyBytes(text, SECRET_PREFIX)))),
    ed25519: await Promise.all(publicKeys.map(ed25519Key)),
  }
}

function hmacKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function ed25519Key(text: string): Promise<CryptoKey> {
  const bytes = keyBytes(text, PUBLIC_KEY_PREFIX)
  return crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify'])
}

function keyBytes(text: string, prefix: string): Uint8Array<ArrayBuffer> {
  const bytes = text.startsWith(prefix) ? decodeBase64(text.slice(prefix.length)) : undefined
  if (bytes === undefined) {
    throw new TypeError(`verifyWebhook: a key must be ${prefix} followed by base64`)
  }
  return bytes
}

async function isGenuine(claim: Claim, body: Uint8Array, keys: Keys): Promise<boolean> {
  const prefix = new TextEncoder().encode(claim.prefix)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  for (const signature of claim.signatures) {
    const candidates = signature.algorithm === 'hmac' ? keys[claim.scheme] : keys.ed25519
    for (const key of candidates) if (await matches(key, signature, signed)) return true
  }
  return false
}

function matches(
  key: CryptoKey,
  { algorithm, bytes }: Signature,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const name = algorithm === 'hmac' ? 'HMAC' : 'Ed25519'
  return crypto.subtle.verify(name, key, bytes, signed)
}

function readEvent(body: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (isEvent(event)) return event
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause
  }
  throw new WebhookError('unreadable', 'The body is signed but is not a JSON object with an id.')
}

function isEvent(value: unknown): value is WebhookEvent {
  return (
    typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
  )
}
