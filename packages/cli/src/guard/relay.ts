import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '@touchstone/protocol/base'
import type { Outcome } from '@touchstone/sdk/guard'

/** Where a client may put what the agent thought; taken out before the server sees the call. */
export const THINKING_KEY = 'touchstone/thinking'

export type ToolCall = {
  /** As the server knows it. */
  tool: string
  arguments: Record<string, unknown>
  thinking: string | undefined
}

export type Ruling =
  /** Notices are for the agent, and come with the tool's answer; `ended` must not throw. */
  | { allowed: true; notices: readonly string[]; ended(outcome: Outcome): void }
  | { allowed: false; result: CallToolResult }

export type RelayOptions = {
  client: Transport
  server: Transport
  ask(call: ToolCall): Promise<Ruling>
  note(line: string): void
}

type Asking = { state: 'asking'; isCancelled: boolean }
type Calling = { state: 'calling'; ruling: Ruling & { allowed: true } }

export type Relay = { start(): Promise<void>; waiting(): number }

/**
 * Stands between a client and a server, passes every message on and asks before each tool call.
 * Both ends speak the protocol, so what is passed on is what was read: there is no second reading
 * of the same bytes that could see another call.
 */
export function createRelay({ client, server, ask, note }: RelayOptions): Relay {
  const calls = new Map<RequestId, Asking | Calling>()

  const pass = (to: Transport, message: JSONRPCMessage) => {
    to.send(message).catch((err: unknown) => note(`a message was not passed on: ${String(err)}`))
  }

  async function judge(id: RequestId, message: JSONRPCMessage): Promise<void> {
    const { call, forwarded } = readCall(message)
    if (call === undefined) return pass(client, errorOf(id, INVALID_PARAMS, MALFORMED))
    const waiting: Asking = { state: 'asking', isCancelled: false }
    calls.set(id, waiting)
    const ruling = await ask(call)
    if (!ruling.allowed) {
      calls.delete(id)
      if (!waiting.isCancelled) pass(client, { jsonrpc: '2.0', id, result: ruling.result })
      return
    }
    // Whoever cancels while we ask must not find the tool called afterwards.
    if (waiting.isCancelled) {
      calls.delete(id)
      ruling.ended('refused')
      return
    }
    calls.set(id, { state: 'calling', ruling })
    pass(server, forwarded)
  }

  function fromClient(message: JSONRPCMessage): void {
    const method = 'method' in message ? message.method : undefined
    if (method === 'tools/call') take(message)
    else if (method !== 'notifications/cancelled' || !cancel(message)) pass(server, message)
  }

  function take(message: JSONRPCMessage): void {
    const { id } = 'id' in message ? message : { id: undefined }
    // Without an id nobody could be told of a refusal, and the protocol knows no such call.
    if (id === undefined) note('a tool call without an id was dropped')
    else if (calls.has(id)) note('a tool call with the id of one under way was dropped')
    else {
      judge(id, message).catch((err: unknown) => {
        note(`a call was lost: ${String(err)}`)
        calls.delete(id)
        pass(client, errorOf(id, INTERNAL_ERROR, 'The tool was not called.'))
      })
    }
  }

  /** Whether that settles it; a call that the server has is the server's to cancel. */
  function cancel(message: JSONRPCMessage): boolean {
    const params: unknown = 'params' in message ? message.params : undefined
    const id = isJsonObject(params) ? params['requestId'] : undefined
    const waiting = typeof id === 'string' || typeof id === 'number' ? calls.get(id) : undefined
    if (waiting?.state !== 'asking') return false
    waiting.isCancelled = true
    return true
  }

  function fromServer(message: JSONRPCMessage): void {
    const id = 'method' in message ? undefined : message.id
    const waiting = id === undefined ? undefined : calls.get(id)
    if (id === undefined || waiting?.state !== 'calling') {
      pass(client, message)
      return
    }
    calls.delete(id)
    pass(client, withNotices(message, waiting.ruling.notices))
    const isAnswer = 'result' in message && message.result['isError'] !== true
    waiting.ruling.ended(isAnswer ? 'succeeded' : 'failed')
  }

  return {
    waiting: () => calls.size,
    async start() {
      client.onmessage = fromClient
      server.onmessage = fromServer
      client.onerror = (err) => note(`the client sent what is no message: ${inShort(err)}`)
      server.onerror = (err) => note(`the server sent what is no message: ${inShort(err)}`)
      await server.start()
      await client.start()
    },
  }
}

/** Of JSON-RPC. */
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603
const MALFORMED = 'The name of a tool is a text, and its arguments are an object.'

function errorOf(id: RequestId, code: number, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** What is wrong with a message is told on many lines, one for each form it could have had. */
function inShort(err: Error): string {
  return err.message.replace(/\s+/g, ' ').slice(0, 200)
}

/**
 * No call when the protocol knows none like it: a server might still make something of a name in a
 * list, or of arguments that are a text, which nobody could have been asked about.
 */
function readCall(message: JSONRPCMessage): {
  call: ToolCall | undefined
  forwarded: JSONRPCMessage
} {
  const params: unknown = 'params' in message ? message.params : undefined
  const given = isJsonObject(params) ? params : {}
  const { [THINKING_KEY]: thinking, ...meta } = isJsonObject(given['_meta']) ? given['_meta'] : {}
  const tool = given['name']
  const args = given['arguments'] ?? {}
  if (typeof tool !== 'string' || !isJsonObject(args))
    return { call: undefined, forwarded: message }
  const call: ToolCall = {
    ...{ tool, arguments: args },
    thinking: typeof thinking === 'string' ? thinking : undefined,
  }
  if (thinking === undefined) return { call, forwarded: message }
  return { call, forwarded: { ...message, params: { ...given, _meta: meta } } as JSONRPCMessage }
}

function withNotices(message: JSONRPCMessage, notices: readonly string[]): JSONRPCMessage {
  if (notices.length === 0 || !('result' in message)) return message
  const { content } = message.result
  if (!Array.isArray(content)) return message
  const told = notices.map((text) => ({ type: 'text', text }))
  return { ...message, result: { ...message.result, content: [...content, ...told] } }
}
