import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import { promptly } from '../kernel/promptly.ts'
import { clientAddress } from './client-address.ts'
import { type Publication, type PublishedAnswer, publishedHeaders } from './published.ts'
import {
  ANONYMOUS_PER_SECOND,
  anonymousCaller,
  countersOf,
  type RateLimitStore,
  rateLimitHeaders,
  UNMEASURED,
} from './rate-limit.ts'
import { requestId } from './server.ts'

/** An answer anybody may have, as its route would give it now. */
export type HotRead = Publication & {
  /** As the route is registered. */
  route: string
  perMinute: number
  made: PublishedAnswer
}

export type HotLaneDeps = {
  /** Undefined unless the answer is there in memory; all else is for the route to say. */
  find(url: string): HotRead | undefined
  clock: Clock
  trustedHops: number
  /** Absent when RATE_LIMITS=off. */
  rateLimits: RateLimitStore | undefined
  securityHeaders: Readonly<Record<string, string>>
  isOpen(): boolean
  onAnswered(answered: { id: string; route: string; elapsedMs: number }): void
}

/** With any of these the answer may be another, and the route knows which. */
const TELLING = [
  'authorization',
  'x-service-api-key',
  'origin',
  'if-none-match',
  'content-length',
  'transfer-encoding',
  'expect',
]

/**
 * Answers the hottest public reads before the framework sees them (ADR 0023): the same bytes,
 * headers, limits, metrics and log lines, without the hooks that a plain read has no use for.
 */
export function openHotLane(server: HttpServer, deps: HotLaneDeps): void {
  const [usual] = server.listeners('request')
  if (usual === undefined) throw new Error('the server has nobody to answer requests')
  server.removeAllListeners('request')
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const found = findPlain(req, deps)
    if (found === undefined) return usual.call(server, req, res)
    const startedAt = performance.now()
    void promptly(takeLimits(req, found, deps), (decision) => {
      // A refusal was not counted, so the route may refuse once more, in its own words.
      if (!decision.allowed) return usual.call(server, req, res)
      const id = requestId(req)
      const limits = rateLimitHeaders(decision)
      send(res, found, { ...deps.securityHeaders, 'x-request-id': id, ...limits })
      deps.onAnswered({ id, route: found.route, elapsedMs: performance.now() - startedAt })
    })
  })
}

function findPlain({ method, url, headers }: IncomingMessage, deps: HotLaneDeps) {
  if (method !== 'GET' || url === undefined || !deps.isOpen()) return undefined
  const found = deps.find(url)
  if (found === undefined || TELLING.some((name) => headers[name] !== undefined)) return undefined
  return found
}

function takeLimits(req: IncomingMessage, { route, perMinute }: HotRead, deps: HotLaneDeps) {
  if (deps.rateLimits === undefined) return UNMEASURED
  const address = clientAddress({
    socketAddress: req.socket.remoteAddress,
    forwardedFor: req.headers['x-forwarded-for'],
    trustedHops: deps.trustedHops,
  })
  const { window, bucket } = countersOf({
    caller: anonymousCaller(address),
    perSecond: ANONYMOUS_PER_SECOND,
    route: `GET ${route}`,
    perMinute,
  })
  return deps.rateLimits.take(window, bucket, deps.clock.now().getTime())
}

function send(res: ServerResponse, found: HotRead, headers: Record<string, string>): void {
  const { body } = found.made
  res.writeHead(200, {
    ...headers,
    ...publishedHeaders({ made: found.made, isPrivate: false }, found),
    'content-length': Buffer.byteLength(body),
  })
  res.end(body)
}
