import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { performance } from 'node:perf_hooks'
import { createSecureContext, rootCertificates } from 'node:tls'
import { createMemo } from '../kernel/cache.ts'
import { createDeadline, type Deadline, withDeadline } from './deadline.ts'
import {
  checkUrl,
  type EgressRules,
  hostOf,
  isAddressAllowed,
  isCidr,
  isLoopbackHost,
} from './egress-rules.ts'
import { type Answer, exchange } from './exchange.ts'
import { type Connection, createKeepAlivePool, openConnection } from './pinned-connection.ts'

/**
 * The only way to call a URL supplied by a tenant. A name is resolved once, every returned
 * address is checked, and the connection goes to a checked address, so DNS rebinding between
 * check and use has no effect.
 */

export type EgressErrorKind = 'refused' | 'dns' | 'timeout' | 'tls' | 'connection' | 'too_large'

/** The message can be shown to the tenant: it names causes, never addresses or file names. */
export class EgressError extends Error {
  readonly kind: EgressErrorKind

  constructor(kind: EgressErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EgressError'
    this.kind = kind
  }
}

export type EgressOptions = EgressRules & {
  /**
   * Returns all addresses of a name; rejects if there are none. Default: DNS, not the hosts
   * file.
   */
  resolve?: (hostname: string) => Promise<readonly string[]>
  /** Certificate authorities (PEM) trusted in addition to the default ones. */
  ca?: string
}

export type EgressRequest = {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Covers resolving, connecting and answering. */
  timeoutMs: number
  /** How much of the answer's body is read. Default 64 KiB. */
  maxBytes?: number
  /**
   * Lets later requests reuse the connection for a short time: those to the same origin whose
   * name resolves to the same, newly checked addresses.
   */
  keepAlive?: true
  /** Handling of a longer body: truncate it (default), or fail the request. */
  overflow?: 'cut' | 'fail'
}

/**
 * Redirects are not followed: a 3xx is an answer like any other. The body is as sent:
 * Content-Encoding is not decoded, so a small answer stays small.
 */
export type EgressResponse = Answer & {
  latencyMs: number
  /** The address that answered. */
  address: string
}

export type Egress = ReturnType<typeof createEgress>

const BODY_BYTES_MAX = 64 * 1024
/** How long creating an endpoint waits for DNS; a slower name counts as unresolvable. */
const CREATE_CHECK_MS = 5000

export function createEgress(options: EgressOptions) {
  const { resolve = createDnsResolve(), ca } = options
  const invalid = options.allowCidrs.find((cidr) => !isCidr(cidr))
  if (invalid !== undefined) throw new TypeError(`not a CIDR range: ${invalid}`)
  // Built once: reading the authorities takes longer than a handshake.
  const secureContext = createSecureContext(
    ca === undefined ? {} : { ca: [...rootCertificates, ca] },
  )

  const allowedUrl = createMemo(CHECKED_MAX, (text) => {
    const check = checkUrl(text, options)
    if (!check.ok) throw new EgressError('refused', check.reason)
    return check.url
  })
  const isAllowed = createMemo(CHECKED_MAX, (address) => isAddressAllowed(address, options))
  const pool = createKeepAlivePool()

  /** The addresses that a checked URL can connect to. */
  async function judge(url: URL, deadline: Deadline): Promise<string[]> {
    const host = hostOf(url)
    const addresses = await addressesOf(host, deadline)
    // localhost skips the rules for names and ports, so it must resolve to loopback only.
    if (!addresses.every(host === 'localhost' ? isLoopbackHost : isAllowed)) {
      throw new EgressError('refused', 'the host resolves to an address that is not allowed')
    }
    return [...addresses]
  }

  async function addressesOf(host: string, deadline: Deadline): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host]
    // RFC 6761 §6.3: localhost must not be resolved by a name server.
    if (host === 'localhost') return ['127.0.0.1', '::1']
    const addresses = await withDeadline(deadline, resolve(host)).catch((err: unknown) => {
      if (deadline.hasExpired()) throw timeout()
      throw new EgressError('dns', 'the host name cannot be resolved', { cause: err })
    })
    if (addresses.length === 0) throw new EgressError('dns', 'the host name has no address')
    return addresses
  }

  return {
    /**
     * Checks a URL before it is stored: throws if it is refused. An unresolvable name is
     * accepted.
     */
    async assertAllowed(text: string): Promise<URL> {
      const url = new URL(allowedUrl(text))
      const deadline = createDeadline(CREATE_CHECK_MS)
      try {
        await judge(url, deadline)
      } catch (err) {
        if (err instanceof EgressError && err.kind !== 'refused') return url
        throw err
      } finally {
        deadline.cancel()
      }
      return url
    },

    /**
     * Sends one request, on a new connection unless `keepAlive` is set. Throws an EgressError if
     * there is no answer.
     */
    async request(call: EgressRequest): Promise<EgressResponse> {
      const startedMs = performance.now()
      const url = allowedUrl(call.url)
      const deadline = createDeadline(call.timeoutMs)
      try {
        const addresses = await judge(url, deadline)
        const pin = { addresses, secureContext, timeoutMs: call.timeoutMs }
        const connection = call.keepAlive
          ? pool.take(url.origin, pin)
          : openConnection(url.origin, pin)
        const answer = await send(connection, { url, call, deadline })
        const latencyMs = Math.round(performance.now() - startedMs)
        const { status, headers, body, truncated } = answer
        return { status, headers, body, truncated, latencyMs, address: connection.address() }
      } finally {
        deadline.cancel()
      }
    },
  }
}

/**
 * DNS over c-ares. The system's getaddrinfo would block one of four shared threads for as long
 * as a tenant's name server stays silent.
 */
function createDnsResolve() {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  return async (hostname: string): Promise<string[]> => {
    const settled = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    const addresses = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const [failure] = settled
    if (addresses.length === 0 && failure.status === 'rejected') throw failure.reason
    return addresses
  }
}

/** Size of the cache of checked URLs; the same text always gets the same answer. */
const CHECKED_MAX = 1000

type Sending = { url: URL; call: EgressRequest; deadline: Deadline }

async function send(connection: Connection, { url, call, deadline }: Sending): Promise<Answer> {
  const { method, headers = {}, body = null, maxBytes = BODY_BYTES_MAX, overflow = 'cut' } = call
  const path = url.pathname + url.search
  try {
    const sent = { path, method, headers, body }
    const answer = await exchange(connection.client, sent, { maxBytes, deadline })
    if (answer.truncated && overflow === 'fail') {
      throw new EgressError('too_large', `the answer is longer than ${maxBytes} bytes`)
    }
    return answer
  } catch (err) {
    throw translate(err, deadline)
  } finally {
    await connection.release()
  }
}

/** OpenSSL's verification results and Node's own TLS errors. */
const TLS_CODE =
  /CERT|CRL|^ERR_(?:TLS|SSL)_|^EPROTO$|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$/
const TIMEOUT_CODE = /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/

function translate(err: unknown, deadline: Deadline): unknown {
  if (err instanceof EgressError) return err
  if (deadline.hasExpired()) return timeout(err)
  const code = codeOf(err)
  // An invalid header or method is the caller's mistake, not a failure of the receiver.
  if (code === 'UND_ERR_INVALID_ARG') return err
  if (TIMEOUT_CODE.test(code)) return timeout(err)
  if (TLS_CODE.test(code)) {
    return new EgressError('tls', `the TLS handshake failed (${code})`, { cause: err })
  }
  return new EgressError('connection', `the connection failed (${code})`, { cause: err })
}

function codeOf(err: unknown): string {
  const hasCode = err instanceof Error && 'code' in err && typeof err.code === 'string'
  return hasCode ? String(err.code) : 'unknown'
}

function timeout(cause?: unknown): EgressError {
  return new EgressError('timeout', 'no full answer in time', { cause })
}
