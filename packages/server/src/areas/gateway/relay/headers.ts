import type { ModelProvider } from '../../../model-turn.ts'

/** Headers by lower-case name, as Node and undici have them. */
export type Headers = Record<string, string | string[] | undefined>

/** RFC 9110, section 7.6.1, and the older ones that proxies still send. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Set by the relay's own connection, or about the connection to us. */
const OWN_OF_REQUEST = new Set([
  'host',
  'content-length',
  'expect',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
])

const OWN_PREFIX = 'x-touchstone-'

/** The headers in which clients of the providers send their key. */
const CREDENTIALS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const

export type RequestRules = {
  provider: ModelProvider
  token: string
  /** Undefined if the client's own is passed through. */
  credential: string | undefined
  isGoverned: boolean
}

/** The headers that are sent on to the provider. */
export function requestHeaders(
  given: Headers,
  rules: RequestRules,
): Record<string, string | string[]> {
  const sent = pick(given, (name, value) => {
    if (OWN_OF_REQUEST.has(name)) return false
    if (rules.credential !== undefined && CREDENTIALS.some((one) => one === name)) return false
    // A client that has the token for its key would otherwise send it to the provider.
    return !String(value).includes(rules.token)
  })
  if (rules.credential !== undefined) {
    const [name, value] = credentialHeader(rules.provider, rules.credential)
    sent[name] = value
  }
  if (rules.isGoverned) sent['accept-encoding'] = 'identity'
  return sent
}

function credentialHeader(provider: ModelProvider, key: string): [name: string, value: string] {
  if (provider === 'anthropic') return ['x-api-key', key]
  if (provider === 'gemini') return ['x-goog-api-key', key]
  return ['authorization', `Bearer ${key}`]
}

/** The headers of the provider's answer that are passed back. */
export function answerHeaders(
  given: Headers,
  { keepsLength }: { keepsLength: boolean },
): Record<string, string | string[]> {
  return pick(given, (name) => keepsLength || name !== 'content-length')
}

function pick(
  given: Headers,
  isKept: (name: string, value: string | string[]) => boolean,
): Record<string, string | string[]> {
  const named = String(given['connection'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || HOP_BY_HOP.has(name) || named.includes(name)) continue
    if (name.startsWith(OWN_PREFIX) || !isKept(name, value)) continue
    kept[name] = value
  }
  return kept
}

/** Gemini's clients can also send their key in the query. */
export function withoutKey(query: string): string {
  return query
    .split('&')
    .filter((pair) => !/^key(=|$)/.test(safeDecode(pair)))
    .join('&')
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a body or an answer is sent in a form that cannot be read as it is. */
export function isEncoded(headers: Headers): boolean {
  const encoding = headers['content-encoding']
  return encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity'
}

const READABLE_TYPE = /^\s*(?:$|text\/(?:event-stream|html|plain)\b|application\/[\w.+-]*json\b)/i

/** Whether calls in an answer of this type can be found; not, for example, in Protocol Buffers. */
export function isReadableType(contentType = ''): boolean {
  return READABLE_TYPE.test(contentType)
}
