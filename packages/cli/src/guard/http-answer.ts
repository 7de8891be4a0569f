import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { refuse } from '../mcp/local-server.ts'

/** Proxies and clients may end a connection on which nothing arrives for longer. */
export const KEEP_ALIVE_MS = 15_000

export type HttpAnswer = {
  send(message: JSONRPCMessage): void
  /** Ends it without the responses that it still lacks. */
  close(): void
}

export type AnswerOptions = {
  res: ServerResponse
  sessionId: string
  /** The requests that it has to answer. */
  ids: readonly RequestId[]
  keepAliveMs?: number
}

/**
 * The answer to a POST with requests. It is JSON if nothing but the response to its only request is sent,
 * which costs a fraction of a stream of events, and else becomes a stream.
 */
export function createHttpAnswer(options: AnswerOptions): HttpAnswer {
  const { res, sessionId, ids, keepAliveMs = KEEP_ALIVE_MS } = options
  const open = new Set(ids)
  let stream: EventStream | undefined
  const begin = () => {
    stream ??= openEventStream(res, sessionId)
    return stream
  }
  const keepAlive = setInterval(() => begin().keepAlive(), keepAliveMs)
  keepAlive.unref()
  res.once('close', () => clearInterval(keepAlive))
  return {
    send(message) {
      if (!('method' in message) && message.id !== undefined) open.delete(message.id)
      const isLast = open.size === 0
      if (isLast && stream === undefined && ids.length === 1) {
        const body = Buffer.from(JSON.stringify(message))
        const headers = { 'content-type': 'application/json', 'content-length': body.length }
        res.writeHead(200, { ...headers, 'mcp-session-id': sessionId }).end(body)
        return
      }
      begin().send(message)
      if (isLast) res.end()
    },
    close() {
      if (stream === undefined) refuse(res, 404, 'The session has ended.')
      else res.end()
    },
  }
}

export type EventStream = ReturnType<typeof openEventStream>

/** Begins a stream of server-sent events. */
export function openEventStream(res: ServerResponse, sessionId: string) {
  res.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'mcp-session-id': sessionId,
  })
  res.flushHeaders()
  return {
    send: (message: JSONRPCMessage): void =>
      void res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    keepAlive: (): void => void res.write(': keep-alive\n\n'),
    end: (): void => void res.end(),
  }
}
