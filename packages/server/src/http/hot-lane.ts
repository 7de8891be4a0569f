import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import { promptly } from '../kernel/promptly.ts'
import { type Publication, type PublishedAnswer, publishedHeaders } from './answers/published.ts'
import { clientAddress } from './identity/client-address.ts'
import {
  ANONYMOUS_PER_SECOND,
  anonymousCaller,
  countersOf,
  type RateDecision,
  type RateLimitStore,
  rateLimitHeaders,
  UNMEASURED,
} from './limits/rate-limit.ts'
import { requestId } from './server.ts'

/** An answer anybody may have, as its route would give it now. */
export type HotRead = {
  /** `route` as it is registered. */
  publication: Publication & { route: string; perMinute: number }
  made: PublishedAnswer
}

export type HotLaneDeps = {
  /** Says whether it takes a request, to answer it without the framework. */
  call(req: IncomingMessage, res: ServerResponse): boolean
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

/**
 * Answers the hottest public reads before the framework sees them (ADR 0023): the same bytes,
 * headers, limits, metrics and log lines, without the hooks that a plain read has no use for.
 */
export function openHotLane(server: HttpServer, deps: HotLaneDeps): void {
  const [usual] = server.listeners('request')
  if (usual === undefined) throw new Error('the server has nobody to answer requests')
  const send = createSender(deps.securityHeaders)
  server.removeAllListeners('request')
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    if (deps.call(req, res)) return
    const found = findPlain(req, deps)
    if (found === undefined) return usual.call(server, req, res)
    const startedAt = performance.now()
    void promptly(takeLimits(req, found, deps), (decision) => {
      // A refusal was not counted, so the route may refuse once more, in its own words.
      if (!decision.allowed) return usual.call(server, req, res)
      const id = requestId(req)
      send(res, found, id, decision)
      const { route } = found.publication
      deps.onAnswered({ id, route, elapsedMs: performance.now() - startedAt })
    })
  })
}

function findPlain({ method, url, headers }: IncomingMessage, deps: HotLaneDeps) {
  if (method !== 'GET' || url === undefined || !deps.isOpen()) return undefined
  const found = deps.find(url)
  return found === undefined || isTelling(headers) ? undefined : found
}

/** With any of these the answer may be another, and the route knows which. */
function isTelling(headers: IncomingMessage['headers']): boolean {
  return (
    headers.authorization !== undefined ||
    headers['x-service-api-key'] !== undefined ||
    headers.origin !== undefined ||
    headers['if-none-match'] !== undefined ||
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined
  )
}

function takeLimits(req: IncomingMessage, { publication }: HotRead, deps: HotLaneDeps) {
  if (deps.rateLimits === undefined) return UNMEASURED
  const address = clientAddress({
    socketAddress: req.socket.remoteAddress,
    forwardedFor: req.headers['x-forwarded-for'],
    trustedHops: deps.trustedHops,
  })
  const { window, bucket } = countersOf({
    caller: anonymousCaller(address),
    perSecond: ANONYMOUS_PER_SECOND,
    route: `GET ${publication.route}`,
    perMinute: publication.perMinute,
  })
  return deps.rateLimits.take(window, bucket, deps.clock.nowMs())
}

/** What all answers with the same bytes have in common is put together once. */
function createSender(securityHeaders: HotLaneDeps['securityHeaders']) {
  const common = new WeakMap<PublishedAnswer, readonly string[]>()
  const commonOf = ({ made, publication }: HotRead): readonly string[] => {
    const headers = Object.entries({
      ...securityHeaders,
      ...publishedHeaders({ made, isPrivate: false }, publication),
      'content-length': String(Buffer.byteLength(made.body)),
    }).flat()
    common.set(made, headers)
    return headers
  }
  return (res: ServerResponse, found: HotRead, id: string, decision: RateDecision): void => {
    const headers = common.get(found.made) ?? commonOf(found)
    const limits = Object.entries(rateLimitHeaders(decision)).flat()
    res.writeHead(200, ['x-request-id', id, ...limits, ...headers])
    res.end(found.made.body)
  }
}
