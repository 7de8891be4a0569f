import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { parseJson } from '../parse-json.ts'
import { createKeepAliveFetch, type StreamListener } from './keep-alive-fetch.ts'
import { statusOf, upstreamError } from './upstream-error.ts'

export type HttpUpstreamOptions = {
  url: URL
  /** Secrets: no message contains their values. */
  headers: Readonly<Record<string, string>>
  bytesMax: number
  /** How long the server may take to begin a session. */
  connectMsMax?: number
}

const CONNECT_MS_MAX = 30_000
/** How long to wait for an answer after its stream has ended, because events are parsed later. */
const LATE_ANSWER_MS = 1000
/** How long the server may take to end a session. */
const END_MS_MAX = 2000

/** Answers to the first request after which a server may speak the legacy SSE transport. */
const LEGACY_STATUSES: readonly (number | undefined)[] = [400, 404, 405]

const SERVER_ERROR = -32_000

type Connected = { transport: StreamableHTTPClientTransport | SSEClientTransport }

/**
 * Transport to an MCP server over streamable HTTP, or over legacy SSE if the server does not know it.
 * A session that the server has forgotten, for example after a restart, is re-established.
 */
export function createHttpUpstream(options: HttpUpstreamOptions): Transport {
  const { url, headers, bytesMax, connectMsMax = CONNECT_MS_MAX } = options
  const unanswered = new Set<RequestId>()
  const reported = new WeakSet<object>()
  const onStream = watchStream((id) => {
    // Usually the answer has been delivered when its stream ends.
    if (unanswered.has(id)) setTimeout(() => failUnanswered(id), LATE_ANSWER_MS).unref()
  })
  const fetch = createKeepAliveFetch({ bytesMax, isRepeatable, onStream })
  const settings = { fetch, requestInit: { headers: { ...headers } } }
  let connected: Promise<Connected> | undefined
  let begun: Beginning | undefined
  let isClosed = false

  const explain = (err: unknown): Error => upstreamError(err, { url, headers })

  function deliver(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      if (message.id !== undefined) unanswered.delete(message.id)
      if (begun !== undefined && message.id === begun.id) begun.onAnswer(message)
      if (message.id === RENEWAL_ID) return
    }
    upstream.onmessage?.(message)
  }

  function failUnanswered(id: RequestId): void {
    if (isClosed || !unanswered.has(id)) return
    const message = 'The MCP server ended its answer without a result.'
    deliver({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } })
  }

  function listen<T extends Connected['transport']>(transport: T): T {
    transport.onmessage = deliver
    transport.onerror = (err) => {
      // A failed send is reported by its caller, who gets the same error in a moment.
      setImmediate(() => {
        if (!isClosed && !reported.has(err)) upstream.onerror?.(explain(err))
      })
    }
    return transport
  }

  async function sendOn({ transport }: Connected, message: JSONRPCMessage): Promise<void> {
    try {
      await transport.send(message)
    } catch (err) {
      if (err instanceof Error) reported.add(err)
      throw err
    }
  }

  /** Sends the first request, which shows which transport the server knows. */
  async function connect(message: JSONRPCMessage): Promise<Connected> {
    const streamable = { transport: listen(new StreamableHTTPClientTransport(url, settings)) }
    await streamable.transport.start()
    try {
      await inTime(sendOn(streamable, message), connectMsMax)
      return streamable
    } catch (err) {
      await streamable.transport.close()
      if (!LEGACY_STATUSES.includes(statusOf(err))) throw err
      return await connectLegacy(message, err)
    }
  }

  async function connectLegacy(message: JSONRPCMessage, first: unknown): Promise<Connected> {
    const legacy = { transport: listen(new SSEClientTransport(url, settings)) }
    try {
      await inTime(legacy.transport.start(), connectMsMax)
    } catch (err) {
      if (err instanceof Error) reported.add(err)
      await legacy.transport.close()
      // The answer to the newer transport says more about a wrong address.
      throw first
    }
    await inTime(sendOn(legacy, message), connectMsMax)
    return legacy
  }

  async function begin(message: JSONRPCMessage): Promise<void> {
    begun = beginningOf(message, ({ protocolVersion }) => {
      connected
        ?.then(({ transport }) => transport.setProtocolVersion(protocolVersion))
        .catch(() => undefined)
    })
    connected = connect(message)
    await connected.catch((err) => {
      connected = undefined
      throw err
    })
  }

  /** Repeats the beginning of the session without the client, which does not know that it ended. */
  async function renew(lost: Promise<Connected>): Promise<Connected> {
    if (connected !== lost || begun === undefined) return connected ?? lost
    const { request } = begun
    const answered = new Promise<void>((resolve) => {
      if (begun === undefined) return
      // The casts are safe: another id leaves a request a request.
      begun = beginningOf({ ...request, id: RENEWAL_ID } as JSONRPCMessage, (answer) => {
        connected?.then(({ transport }) => transport.setProtocolVersion(answer.protocolVersion))
        resolve()
      })
      begun.request = request
    })
    connected = connect({ ...request, id: RENEWAL_ID } as JSONRPCMessage)
    const renewed = await connected
    await inTime(answered, connectMsMax)
    await sendOn(renewed, { jsonrpc: '2.0', method: 'notifications/initialized' })
    return renewed
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) unanswered.add(message.id)
    if (connected === undefined) return begin(message)
    const current = connected
    const { transport } = await current
    try {
      await sendOn({ transport }, message)
    } catch (err) {
      const isForgotten = statusOf(err) === 404 && 'sessionId' in transport && transport.sessionId
      if (!isForgotten) throw err
      await sendOn(await renew(current), message)
    }
  }

  const upstream: Transport = {
    start: async () => undefined,
    async send(message) {
      try {
        await send(message)
      } catch (err) {
        if ('id' in message && message.id !== undefined) unanswered.delete(message.id)
        throw explain(err)
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      const current = await connected?.catch(() => undefined)
      const { transport } = current ?? {}
      if (transport instanceof StreamableHTTPClientTransport) {
        await inTime(transport.terminateSession(), END_MS_MAX).catch(() => undefined)
      }
      await transport?.close()
      upstream.onclose?.()
    },
  }
  return upstream
}

/** A tool may have been called before the connection broke, and would be called again. */
function isRepeatable(body: string): boolean {
  return Object(parseJson(body)).method !== 'tools/call'
}

/** No id of a client: those of JSON-RPC libraries are numbers or generated. */
const RENEWAL_ID = 'touchstone-guard-renewal'

type Beginning = {
  request: JSONRPCMessage
  id: RequestId | undefined
  onAnswer(message: JSONRPCMessage): void
}

/** The first request of a session, whose answer names the protocol version of all later requests. */
function beginningOf(
  request: JSONRPCMessage,
  onAnswer: (answer: { protocolVersion: string }) => void,
): Beginning {
  return {
    request,
    id: 'id' in request ? request.id : undefined,
    onAnswer(message) {
      const version = 'result' in message ? message.result['protocolVersion'] : undefined
      if (typeof version === 'string') onAnswer({ protocolVersion: version })
    },
  }
}

/** Calls back with the request's id when the stream that answers it has ended and cannot be resumed. */
function watchStream(onEnd: (id: RequestId) => void): StreamListener {
  return (answer, sent) => {
    // A stream that was opened with GET answers no request.
    if (sent === '') return
    let isResumable = false
    answer.on('data', (chunk: Buffer) => {
      // A server that numbers its events lets the client resume the stream.
      isResumable ||= chunk.includes('\nid:') || chunk.indexOf('id:') === 0
    })
    answer.once('close', () => {
      if (isResumable) return
      const { id }: { id?: RequestId } = JSON.parse(sent)
      if (id !== undefined) onEnd(id)
    })
  }
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} seconds`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
