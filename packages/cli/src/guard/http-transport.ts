import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '@touchstone/protocol/base'
import { refuse } from '../mcp/local-server.ts'
import {
  createHttpAnswer,
  type EventStream,
  type HttpAnswer,
  KEEP_ALIVE_MS,
  openEventStream,
} from './http-answer.ts'
import { readBody } from './http-body.ts'

export type HttpTransport = Transport & {
  /** Undefined until a client has begun the session. */
  readonly sessionId: string | undefined
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>
}

export type HttpTransportOptions = {
  bodyBytesMax: number
  /** Called with the first request of a session, before it is delivered. */
  onBegin(sessionId: string): Promise<void>
  keepAliveMs?: number
}

type Waiting = { answer: HttpAnswer; progressToken: unknown }

/** Messages of one POST, which the specification of 2025-03-26 allows to be several. */
const BATCH_MAX = 100

/** Error codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const ENDED = 'The session has ended.'
const NO_SESSION = 'A session begins with initialize.'

/**
 * The transport of one HTTP session, on node:http. That of the MCP SDK converts requests and answers to
 * those of fetch and its streams, which takes more processor time than all the rest of a call.
 *
 * A message of the server that answers no request, such as its progress, is sent with the answer to the
 * request that it is about, or to the newest request if the client has no stream open for such messages:
 * otherwise it would be lost.
 */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { bodyBytesMax, onBegin, keepAliveMs = KEEP_ALIVE_MS } = options
  /** Requests of the client without a response, oldest first. */
  const waiting = new Map<RequestId, Waiting>()
  let sessionId: string | undefined
  let stream: EventStream | undefined
  let isClosed = false

  /** Refuses what is no message of MCP, and notes it. */
  function reject(res: ServerResponse, status: number, text: string, code?: number): void {
    transport.onerror?.(new Error(text))
    refuse(res, status, text, code)
  }

  async function post(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const wrong = problemOfHeaders(req.headers)
    if (wrong !== undefined) return reject(res, ...wrong)
    const body = await readBody(req, bodyBytesMax)
    if (body === undefined) {
      return reject(res, 413, `The body must have at most ${bodyBytesMax} bytes.`)
    }
    const messages = messagesIn(body)
    if (messages === undefined) {
      return reject(res, 400, 'The body is not a JSON-RPC 2.0 message.', PARSE_ERROR)
    }
    const version = req.headers['mcp-protocol-version']
    await (messages.some(isInitializeRequest)
      ? begin(messages, res)
      : proceed(messages, res, version))
  }

  async function begin(messages: readonly JSONRPCMessage[], res: ServerResponse): Promise<void> {
    const problem = problemOfBeginning(sessionId, messages)
    if (problem !== undefined) return reject(res, 400, problem, INVALID_REQUEST)
    const own = randomUUID()
    sessionId = own
    await onBegin(own)
    deliver(messages, res, own)
  }

  async function proceed(
    messages: readonly JSONRPCMessage[],
    res: ServerResponse,
    version: string | string[] | undefined,
  ): Promise<void> {
    if (sessionId === undefined) return reject(res, 400, NO_SESSION, INVALID_REQUEST)
    const problem = problemOfVersion(version)
    if (problem !== undefined) return reject(res, 400, problem, INVALID_REQUEST)
    deliver(messages, res, sessionId)
  }

  function deliver(messages: readonly JSONRPCMessage[], res: ServerResponse, own: string): void {
    // It may have ended while the body arrived, or while the server was started.
    if (isClosed) {
      refuse(res, 404, ENDED)
      return
    }
    const requests = messages.filter(isJSONRPCRequest)
    const ids = requests.map(({ id }) => id)
    if (ids.some((id) => waiting.has(id)) || new Set(ids).size < ids.length) {
      reject(res, 400, 'A request has the id of one without a response.', INVALID_REQUEST)
      return
    }
    if (ids.length === 0) res.writeHead(202, { 'mcp-session-id': own }).end()
    else {
      const answer = createHttpAnswer({ res, sessionId: own, ids, keepAliveMs })
      for (const request of requests) {
        waiting.set(request.id, { answer, progressToken: requestTokenIn(request) })
      }
      res.once('close', () => {
        for (const id of ids) if (waiting.get(id)?.answer === answer) waiting.delete(id)
      })
    }
    for (const message of messages) transport.onmessage?.(message)
  }

  /** Opens the stream for messages that answer no request. */
  async function openStream(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!req.headers.accept?.includes('text/event-stream')) {
      return reject(res, 406, 'Accept must have text/event-stream.')
    }
    if (sessionId === undefined) return reject(res, 400, NO_SESSION, INVALID_REQUEST)
    const problem = problemOfVersion(req.headers['mcp-protocol-version'])
    if (problem !== undefined) return reject(res, 400, problem, INVALID_REQUEST)
    if (stream !== undefined) return reject(res, 409, 'The session has a stream already.')
    const own = openEventStream(res, sessionId)
    const keepAlive = setInterval(own.keepAlive, keepAliveMs)
    keepAlive.unref()
    stream = own
    res.once('close', () => {
      clearInterval(keepAlive)
      stream = undefined
    })
  }

  /** Where a message goes that is no response; nowhere if nothing is open. */
  function targetOf(message: JSONRPCMessage): { send(message: JSONRPCMessage): void } | undefined {
    const token = progressTokenIn(message)
    const all = [...waiting.values()]
    const about = token === undefined ? undefined : all.find((one) => one.progressToken === token)
    return about?.answer ?? stream ?? all.at(-1)?.answer
  }

  const transport: HttpTransport = {
    get sessionId() {
      return sessionId
    },
    async handle(req, res) {
      if (isClosed) return refuse(res, 404, ENDED)
      if (req.method === 'POST') return post(req, res)
      if (req.method === 'GET') return openStream(req, res)
      if (req.method === 'DELETE') {
        res.writeHead(200).end()
        return transport.close()
      }
      res.setHeader('allow', 'GET, POST, DELETE')
      refuse(res, 405, 'Use GET, POST or DELETE.')
    },
    start: async () => undefined,
    async send(message) {
      if ('method' in message || message.id === undefined) return targetOf(message)?.send(message)
      const answered = waiting.get(message.id)
      waiting.delete(message.id)
      if (answered === undefined) throw new Error('the client no longer waits for this answer')
      answered.answer.send(message)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      for (const answer of new Set([...waiting.values()].map((one) => one.answer))) answer.close()
      waiting.clear()
      stream?.end()
      transport.onclose?.()
    },
  }
  return transport
}

function problemOfHeaders(headers: IncomingHttpHeaders): [number, string] | undefined {
  const { accept = '', 'content-type': type = '' } = headers
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return [406, 'Accept must have application/json and text/event-stream.']
  }
  const isJson = /^application\/json\s*(;|$)/i.test(type)
  return isJson ? undefined : [415, 'Content-Type must be application/json.']
}

function messagesIn(body: string): JSONRPCMessage[] | undefined {
  try {
    const json: unknown = JSON.parse(body)
    const list: unknown[] = Array.isArray(json) ? json : [json]
    if (list.length === 0 || list.length > BATCH_MAX) return undefined
    return list.map((message) => JSONRPCMessageSchema.parse(message))
  } catch {
    return undefined
  }
}

function problemOfBeginning(
  sessionId: string | undefined,
  messages: readonly JSONRPCMessage[],
): string | undefined {
  if (sessionId !== undefined) return 'The session has begun already.'
  return messages.length > 1 ? 'initialize must be alone.' : undefined
}

function problemOfVersion(version: string | string[] | undefined): string | undefined {
  const isKnown = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))
  return isKnown ? undefined : 'The version of the header mcp-protocol-version is unknown.'
}

/** The token under which the client wants to be notified of the progress of its request. */
function requestTokenIn(message: JSONRPCMessage): unknown {
  const meta = paramOf(message, '_meta')
  return isJsonObject(meta) ? meta['progressToken'] : undefined
}

function progressTokenIn(message: JSONRPCMessage): unknown {
  const isProgress = 'method' in message && message.method === 'notifications/progress'
  return isProgress ? paramOf(message, 'progressToken') : undefined
}

function paramOf(message: JSONRPCMessage, name: string): unknown {
  const params: unknown = 'params' in message ? message.params : undefined
  return isJsonObject(params) ? params[name] : undefined
}
