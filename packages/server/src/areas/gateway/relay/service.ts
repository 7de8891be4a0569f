import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { isWellFormedGatewayToken } from '@touchstone/protocol/identifiers'
import type { AnswerFormat, WireFormat } from '@touchstone/protocol/model-wire'
import { tokenHash } from '../../../kernel/ids.ts'
import type { ModelConnection, Turn } from '../../../model-turn.ts'
import { misplaced, REFUSALS, type Refusal } from './answer.ts'
import type { BodyPlace, BodyRoom } from './body-room-service.ts'
import { readWhole, WHOLE_BYTES_MAX } from './body-service.ts'
import {
  ClientGone,
  type Exchange,
  type ExchangeDeps,
  type Open,
  openExchange,
  Refused,
  refuseAfter,
  send,
} from './exchange-service.ts'
import { createAnswerWriter, type Flow, flow } from './flow-service.ts'
import { answerHeaders, isEncoded, requestHeaders, withoutKey } from './headers.ts'
import type { Connections, Plans, Turns } from './ports.ts'
import { GOVERNED_PATHS, type RelayTarget, requestTargetOf, routeOf } from './target.ts'
import { faultOf, type UpstreamAnswer, type UpstreamClient } from './upstream-client.ts'

/** Above this, reading the provider pauses until held calls are settled. */
const HELD_BYTES_HIGH = 8 * 1024 * 1024

export type Limits = {
  /** Counts a call of the connection. Undefined if it is allowed, else the refusal. */
  ofConnection(connectionId: string, perSecond: number): Promise<Refusal | undefined>
  /** Counts a failed authentication. */
  ofStranger(address: string): Promise<Refusal | undefined>
}

export type RelayDeps = ExchangeDeps & {
  connections: Connections
  plans: Plans
  turns: Turns
  limits: Limits
  upstream: UpstreamClient
  room: BodyRoom
  isReady(): boolean
}

export type RelayService = ReturnType<typeof createRelayService>

/** Passes requests of agents on to their model providers (spec: model-gateway §6). */
export function createRelayService(deps: RelayDeps) {
  return {
    async relay(exchange: Exchange): Promise<void> {
      const open = openExchange(deps, exchange)
      try {
        await answer(deps, open)
      } catch (err) {
        refuseAfter(deps, open, err)
      }
    },

    close: (): Promise<void> => deps.upstream.close(),
  }
}

async function answer(deps: RelayDeps, open: Open): Promise<void> {
  const { target, relayed } = open
  if (!deps.isReady()) throw new Refused(REFUSALS.starting)
  const token = target.token ?? headerOf(open.request, 'x-touchstone-token')
  const connection = await authenticate(deps, open, token)
  relayed.connection = connection
  if (target.provider === undefined || target.provider !== connection.provider) {
    throw new Refused(REFUSALS.provider)
  }
  const { requestsPerSecond } = await deps.plans.entitlements(connection.orgId)
  const limited = await deps.limits.ofConnection(connection.connectionId, requestsPerSecond)
  if (limited !== undefined) throw new Refused(limited)
  const route = routeOf(target.provider, relayed.method, target.path)
  // The provider must never see the token, wherever the client put it.
  const isTokenSent = token !== undefined && `${target.path}?${target.query}`.includes(token)
  if (route.kind === 'malformed' || isTokenSent) throw new Refused(REFUSALS.path)
  if (route.kind === 'misplaced') throw new Refused(misplaced(GOVERNED_PATHS[target.provider]))
  const upstreamUrl = deps.connections.upstreamOf(connection)
  if (upstreamUrl === undefined) throw new Refused(REFUSALS.unlisted)
  const admitted = { ...open, connection, token: token ?? '', upstreamUrl }
  if (route.kind === 'governed') {
    relayed.isGoverned = true
    await relayGoverned(deps, admitted, deps.wireOf(route.wire))
  } else {
    await relayUnread(deps, admitted, route)
  }
}

async function authenticate(
  deps: RelayDeps,
  { clientIp }: Open,
  token: string | undefined,
): Promise<ModelConnection> {
  const found =
    token !== undefined && isWellFormedGatewayToken(token)
      ? await deps.connections.recognise(tokenHash(token))
      : undefined
  if (found !== undefined) return found
  throw new Refused((await deps.limits.ofStranger(clientIp)) ?? REFUSALS.token)
}

type Admitted = Open & { connection: ModelConnection; token: string; upstreamUrl: string }

async function relayUnread(
  deps: RelayDeps,
  open: Admitted,
  route: { canCarryCalls: boolean },
): Promise<void> {
  const { request, response, connection } = open
  if (route.canCarryCalls && connection.sealedCredential !== null) {
    throw new Refused(REFUSALS.sealed)
  }
  const contained = await deps.turns.containment(connection)
  if (contained !== undefined) throw new Refused({ status: 403, message: contained })
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  const found = await ask(deps, open, { body: hasBody ? request : null, isGoverned: false })
  response.writeHead(found.status, answerHeaders(found.headers, { keepsLength: true }))
  await pass(open, found.body, (chunk) => void response.write(chunk))
  response.end()
}

async function relayGoverned(deps: RelayDeps, open: Admitted, wire: WireFormat): Promise<void> {
  const { request, response, target, connection } = open
  if (isEncoded(request.headers)) throw new Refused(REFUSALS.encoding)
  const place = deps.room.enter(connection.orgId)
  response.once('close', place.leave)
  const given = await readRequest(request, place).catch((err: unknown) => {
    // Its bytes are dropped, although the connection stays until the client has written the rest.
    place.leave()
    throw err
  })
  const start = await deps.turns.begin({
    connection,
    wire,
    target: requestTargetOf(target),
    body: given,
    session: headerOf(request, 'x-touchstone-session'),
    client: headerOf(request, 'x-touchstone-client') ?? headerOf(request, 'user-agent'),
  })
  if (start.kind === 'answer') {
    const { status, headers, body } = start.answer
    send(open, { status, headers: { ...headers, ...start.headers }, body })
    return
  }
  const { turn } = start
  const found = await ask(deps, open, { body: start.body, isGoverned: true }).catch(
    async (err: unknown) => {
      await turn.giveBack()
      throw err
    },
  )
  place.leave()
  if (found.status < 200 || found.status > 299) {
    await turn.giveBack()
    return passAnswer(open, found, turn)
  }
  if (isEncoded(found.headers)) throw new Refused(REFUSALS.compressed)
  const format = turn.answerFormat(contentTypeOf(found))
  if (format === 'json') await relayWhole(open, found, turn)
  else await relayStream(open, found, format, turn)
}

/** An answer that is no turn of the model, such as an error: as it came. */
async function passAnswer(open: Admitted, found: UpstreamAnswer, turn: Turn): Promise<void> {
  const { response } = open
  const headers = answerHeaders(found.headers, { keepsLength: true })
  response.writeHead(found.status, { ...headers, ...turn.headers })
  await pass(open, found.body, (chunk) => void response.write(chunk))
  response.end()
}

async function relayWhole(open: Admitted, found: UpstreamAnswer, turn: Turn): Promise<void> {
  const body = await readAnswer(found.body)
  const judged = await turn.answer(body, open.abort.signal)
  if (judged === undefined) throw new Refused(REFUSALS.unreadable)
  const headers = answerHeaders(found.headers, { keepsLength: false })
  send(open, {
    status: found.status,
    headers: { ...headers, ...turn.headers, ...judged.headers },
    body: judged.body,
  })
}

async function relayStream(
  open: Admitted,
  found: UpstreamAnswer,
  format: AnswerFormat,
  turn: Turn,
): Promise<void> {
  const { response, abort } = open
  const headers = answerHeaders(found.headers, { keepsLength: false })
  response.writeHead(found.status, { ...headers, ...turn.headers })
  const { write, end } = createAnswerWriter(response)
  const stream = turn.open(format, { write, end, stop: () => void found.body.destroy() })
  abort.signal.addEventListener('abort', stream.leave)
  try {
    await pass(open, found.body, stream.push, () => {
      return stream.heldBytes() > HELD_BYTES_HIGH ? stream.whenSettled() : undefined
    })
  } catch (err) {
    if (abort.signal.aborted) {
      // Once more, because the client may have left before this listened.
      stream.leave()
      throw err
    }
    if (!stream.isOver()) {
      await stream.break(faultMessage(err))
      return
    }
  }
  await stream.end()
}

function pass(
  { response, abort, noteByte }: Open,
  body: Readable,
  hand: (chunk: Uint8Array) => void,
  beforeNext?: Flow['beforeNext'],
): Promise<void> {
  const onChunk = (chunk: Uint8Array): void => {
    noteByte()
    hand(chunk)
  }
  return flow({ body, response, signal: abort.signal, onChunk, beforeNext })
}

type Asked = { body: Uint8Array | IncomingMessage | null; isGoverned: boolean }

async function ask(
  deps: RelayDeps,
  { request, target, connection, token, upstreamUrl, abort }: Admitted,
  { body, isGoverned }: Asked,
): Promise<UpstreamAnswer> {
  const credential = deps.connections.credentialOf(connection)
  const { provider } = connection
  const headers = requestHeaders(request.headers, { provider, token, credential, isGoverned })
  const length = request.headers['content-length']
  // A body that is passed on as it comes keeps the framing that the client chose.
  if (body === request && length !== undefined) headers['content-length'] = length
  const { origin, pathname } = new URL(upstreamUrl)
  const base = pathname === '/' ? '' : pathname
  const query = queryOf(target, credential)
  try {
    return await deps.upstream.send({
      origin,
      path: `${base}/${target.path}${query}`,
      method: request.method ?? 'GET',
      headers,
      body,
      signal: abort.signal,
    })
  } catch (err) {
    if (abort.signal.aborted) throw new ClientGone()
    throw new Refused(REFUSALS[faultOf(err)])
  }
}

function queryOf({ provider, query }: RelayTarget, credential: string | undefined): string {
  if (query === undefined) return ''
  const kept = provider === 'gemini' && credential !== undefined ? withoutKey(query) : query
  return kept === '' ? '' : `?${kept}`
}

async function readRequest(request: IncomingMessage, place: BodyPlace): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > WHOLE_BYTES_MAX) {
    throw new Refused(REFUSALS.size)
  }
  const body = await readWhole(request, WHOLE_BYTES_MAX, (size) => {
    if (!place.hold(size)) throw new Refused(REFUSALS.full)
  }).catch((err: unknown) => {
    throw err instanceof Refused ? err : new ClientGone()
  })
  if (body === undefined) throw new Refused(REFUSALS.size)
  return body
}

async function readAnswer(source: Readable): Promise<Uint8Array> {
  const body = await readWhole(source, WHOLE_BYTES_MAX).catch((err: unknown) => {
    throw new Refused(faultOf(err) === 'timeout' ? REFUSALS.timeout : REFUSALS.broken)
  })
  if (body !== undefined) return body
  source.destroy()
  throw new Refused(REFUSALS.tooLong)
}

function faultMessage(err: unknown): string {
  return (faultOf(err) === 'timeout' ? REFUSALS.timeout : REFUSALS.broken).message
}

function contentTypeOf({ headers }: UpstreamAnswer): string | undefined {
  const type = headers['content-type']
  return type === undefined ? undefined : String(type)
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
