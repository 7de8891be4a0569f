import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '@touchstone/protocol/base'

export type SessionTransport = Transport & {
  /** How many streams the client has open for messages that answer no request. */
  openStreams: number
}

/**
 * The transport of one HTTP session. A message of the server that answers no request, such as its
 * progress, is sent on the stream of the request it is about, or on that of the newest request if the
 * client has no stream open for such messages: otherwise it would be lost.
 */
export function createSessionTransport(http: StreamableHTTPServerTransport): SessionTransport {
  /** Unanswered requests of the client with their progress tokens, oldest first. */
  const requests = new Map<RequestId, unknown>()

  const relatedTo = (message: JSONRPCMessage): RequestId | undefined => {
    if (!('method' in message)) return undefined
    const token = progressTokenIn(message)
    const ids = [...requests]
    const of = token === undefined ? undefined : ids.find(([, own]) => own === token)
    return of?.[0] ?? (transport.openStreams > 0 ? undefined : ids.at(-1)?.[0])
  }

  const transport: SessionTransport = {
    openStreams: 0,
    start: () => http.start(),
    async send(message) {
      if (!('method' in message) && message.id !== undefined) requests.delete(message.id)
      const relatedRequestId = relatedTo(message)
      await http.send(message, relatedRequestId === undefined ? {} : { relatedRequestId })
    },
    close: () => http.close(),
  }
  http.onmessage = (message) => {
    if ('method' in message && 'id' in message) requests.set(message.id, requestTokenIn(message))
    transport.onmessage?.(message)
  }
  http.onerror = (err) => transport.onerror?.(err)
  return transport
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
