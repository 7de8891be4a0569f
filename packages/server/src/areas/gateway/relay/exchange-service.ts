import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WireFormat, WireName } from '@touchstone/protocol/model-wire'
import type { ModelConnection, ModelProvider } from '../../../model-turn.ts'
import { REFUSALS, type Refusal, WIRE_OF_PROVIDER } from './answer.ts'
import { WHOLE_BYTES_MAX } from './body-service.ts'
import { loggedPath, type RelayTarget, requestTargetOf, routeOf, splitTarget } from './target.ts'

export type Relayed = {
  method: string
  /** Without the token. */
  path: string
  status: number
  elapsedMs: number
  /** Undefined if no byte of an answer arrived. */
  firstByteMs: number | undefined
  provider: ModelProvider | undefined
  isGoverned: boolean
  connection: ModelConnection | undefined
}

export type ExchangeDeps = {
  wireOf(name: WireName): WireFormat
  elapsedMs(): number
  /** Called when the first byte of an answer arrived. */
  onFirstByte(relayed: Relayed): void
  /** Called when the exchange has ended, for logs and metrics. */
  onRelayed(relayed: Relayed): void
  onFault(err: unknown): void
}

/** One request to the relay and the response to it. */
export type Exchange = { request: IncomingMessage; response: ServerResponse; clientIp: string }

export type Open = Exchange & {
  target: RelayTarget
  relayed: Relayed
  abort: AbortController
  /** The first byte of the provider's answer arrived. */
  noteByte(): void
}

/** The client has gone; nothing is left to answer. */
export class ClientGone extends Error {}

export class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export function openExchange(deps: ExchangeDeps, exchange: Exchange): Open {
  const { request, response } = exchange
  const target = splitTarget(request.url ?? '')
  const startedMs = deps.elapsedMs()
  const relayed: Relayed = {
    method: request.method ?? 'GET',
    path: loggedPath(target),
    status: 0,
    elapsedMs: 0,
    firstByteMs: undefined,
    provider: target.provider,
    isGoverned: false,
    connection: undefined,
  }
  const abort = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) abort.abort(new ClientGone())
    relayed.status = response.headersSent ? response.statusCode : 0
    relayed.elapsedMs = deps.elapsedMs() - startedMs
    deps.onRelayed(relayed)
  })
  const noteByte = (): void => {
    if (relayed.firstByteMs !== undefined) return
    relayed.firstByteMs = deps.elapsedMs() - startedMs
    deps.onFirstByte(relayed)
  }
  return { ...exchange, target, relayed, abort, noteByte }
}

type Whole = { status: number; headers: Record<string, string | string[]>; body: Uint8Array }

export function send({ response }: Open, { status, headers, body }: Whole): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.byteLength) })
  response.end(body)
}

/** Answers in the provider's shape; breaks the connection if the answer has begun. */
export function refuseAfter(deps: ExchangeDeps, open: Open, err: unknown): void {
  const { request, response, target } = open
  if (err instanceof ClientGone || response.destroyed) return
  if (!(err instanceof Refused) && !open.abort.signal.aborted) deps.onFault(err)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const refusal: Refusal = err instanceof Refused ? err.refusal : REFUSALS.failed
  const { status, headers, body } = errorOf(deps, target, refusal)
  const whole = { status, headers: { ...headers, ...refusal.headers }, body }
  if (request.complete) send(open, whole)
  else sendWhileWriting(open, whole)
}

/** The rest of a body that is read after a refusal: at most as much again as is accepted, and this long. */
const REST_BYTES_MAX = 2 * WHOLE_BYTES_MAX
const REST_MS_MAX = 30_000

/**
 * Answers a client that is still writing. The answer has its length, so it is whole before it ends; it ends
 * with the body, because a connection that is closed with unread bytes in it is reset, and the client
 * would lose the answer.
 */
function sendWhileWriting({ request, response }: Open, { status, headers, body }: Whole): void {
  const length = String(body.byteLength)
  response.writeHead(status, { ...headers, 'content-length': length, connection: 'close' })
  response.write(body)
  const end = (): void => void response.end()
  const timer = setTimeout(end, REST_MS_MAX)
  response.once('close', () => clearTimeout(timer))
  let rest = 0
  request.on('data', (chunk: Uint8Array) => {
    rest += chunk.byteLength
    if (rest > REST_BYTES_MAX) end()
  })
  request.once('end', end)
  request.resume()
}

function errorOf(deps: ExchangeDeps, target: RelayTarget, { status, message }: Refusal) {
  const { provider, path } = target
  if (provider === undefined) {
    const body = Buffer.from(JSON.stringify({ error: 'not_found', message }))
    return { status: 404, headers: { 'content-type': 'application/json' }, body }
  }
  const route = routeOf(provider, 'POST', path)
  const name = route.kind === 'governed' ? route.wire : WIRE_OF_PROVIDER[provider]
  return deps.wireOf(name).errorAnswer({ status, message, target: requestTargetOf(target) })
}
