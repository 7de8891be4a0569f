import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '@touchstone/protocol/base'
import { sha256Hex } from '@touchstone/protocol/crypto'
import type { Outcome } from '@touchstone/sdk/guard'
import { reasonOf } from '../reason.ts'

/** Key in `_meta` for the agent's reasoning; removed before the call is forwarded to the server. */
export const THINKING_KEY = 'touchstone/thinking'

export type ToolCall = {
  /** The server's own name of the tool. */
  tool: string
  arguments: Record<string, unknown>
  thinking: string | undefined
}

export type Ruling =
  /** Notices are appended to the tool's result for the agent; `reportOutcome` must not throw. */
  | {
      allowed: true
      notices: readonly string[]
      reportOutcome(outcome: Outcome, error?: string, resultHash?: string): void
    }
  | { allowed: false; result: CallToolResult }

export type RelayOptions = {
  client: Transport
  server: Transport
  decide(call: ToolCall): Promise<Ruling>
  /** Called with the tools that the server lists, before the client gets them. */
  onTools(tools: readonly unknown[]): void
  note(line: string): void
}

type Deciding = { state: 'deciding'; isCancelled: boolean }
type Forwarded = { state: 'forwarded'; ruling: Ruling & { allowed: true } }

export type Relay = {
  start(): Promise<void>
  pendingCount(): number
  /** Answers all requests that the server has not answered, because it no longer can. */
  failPending(reason: string): void
}

/**
 * Proxy between an MCP client and a server: forwards every message and requests a decision before each
 * tool call. It forwards the parsed message, not the original bytes, so that the server cannot parse
 * them into a different call than the one that was decided.
 */
export function createRelay({ client, server, decide, onTools, note }: RelayOptions): Relay {
  const calls = new Map<RequestId, Deciding | Forwarded>()
  /** Requests of the client that the server has not answered, with their methods. */
  const requests = new Map<RequestId, string>()

  const forward = (to: Transport, message: JSONRPCMessage) => {
    to.send(message).catch((err: unknown) =>
      note(`a message could not be forwarded: ${String(err)}`),
    )
  }

  async function handleCall(id: RequestId, message: JSONRPCMessage): Promise<void> {
    const { call, forwarded } = readCall(message)
    if (call === undefined) return forward(client, errorOf(id, INVALID_PARAMS, MALFORMED))
    const pending: Deciding = { state: 'deciding', isCancelled: false }
    calls.set(id, pending)
    const ruling = await decide(call)
    if (!ruling.allowed) {
      calls.delete(id)
      if (!pending.isCancelled) forward(client, { jsonrpc: '2.0', id, result: ruling.result })
      return
    }
    // A call that was cancelled before the decision must not reach the server.
    if (pending.isCancelled) {
      calls.delete(id)
      ruling.reportOutcome('refused')
      return
    }
    calls.set(id, { state: 'forwarded', ruling })
    toServer(forwarded)
  }

  function toServer(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) requests.set(message.id, message.method)
    server.send(message).catch((err: unknown) => {
      const reason = reasonOf(err)
      note(`a message could not be forwarded: ${reason}`)
      if ('method' in message && 'id' in message) failRequest(message.id, reason)
    })
  }

  /** Answers a request that did not reach the server, unless it was answered meanwhile. */
  function failRequest(id: RequestId, reason: string): void {
    if (!requests.delete(id)) return
    const pending = calls.get(id)
    calls.delete(id)
    if (pending?.state === 'forwarded') pending.ruling.reportOutcome('failed', reason)
    forward(client, errorOf(id, SERVER_ERROR, reason))
  }

  function fromClient(message: JSONRPCMessage): void {
    const method = 'method' in message ? message.method : undefined
    if (method === 'tools/call') startCall(message)
    else if (method !== 'notifications/cancelled' || !cancel(message)) toServer(message)
  }

  function startCall(message: JSONRPCMessage): void {
    const { id } = 'id' in message ? message : { id: undefined }
    // The protocol requires an id, and without one a refusal could not be answered.
    if (id === undefined) note('a tool call without an id was dropped')
    else if (calls.has(id)) note('a tool call with the id of a pending call was dropped')
    else {
      handleCall(id, message).catch((err: unknown) => {
        note(`a tool call failed: ${String(err)}`)
        calls.delete(id)
        forward(client, errorOf(id, INTERNAL_ERROR, 'The tool was not called.'))
      })
    }
  }

  /** Returns whether it was handled here; a forwarded call is cancelled by the server. */
  function cancel(message: JSONRPCMessage): boolean {
    const params: unknown = 'params' in message ? message.params : undefined
    const id = isJsonObject(params) ? params['requestId'] : undefined
    const pending = typeof id === 'string' || typeof id === 'number' ? calls.get(id) : undefined
    if (pending?.state !== 'deciding') return false
    pending.isCancelled = true
    return true
  }

  function fromServer(message: JSONRPCMessage): void {
    const id = 'method' in message ? undefined : message.id
    if (id !== undefined) {
      if (requests.get(id) === 'tools/list') onTools(toolsIn(message))
      requests.delete(id)
    }
    const pending = id === undefined ? undefined : calls.get(id)
    if (id === undefined || pending?.state !== 'forwarded') {
      forward(client, message)
      return
    }
    calls.delete(id)
    forward(client, withNotices(message, pending.ruling.notices))
    const error = errorIn(message)
    const outcome = error === undefined ? 'succeeded' : 'failed'
    pending.ruling.reportOutcome(outcome, error, resultHashOf(message))
  }

  return {
    pendingCount: () => calls.size,
    failPending(reason) {
      for (const id of [...requests.keys()]) failRequest(id, reason)
    },
    async start() {
      client.onmessage = fromClient
      server.onmessage = fromServer
      client.onerror = (err) => note(`the client sent an invalid message: ${oneLine(err)}`)
      server.onerror = (err) => note(`the server sent an invalid message: ${oneLine(err)}`)
      await server.start()
      await client.start()
    },
  }
}

/** Hashed as it is forwarded, without the notices that the guard adds. */
function resultHashOf(message: JSONRPCMessage): string | undefined {
  return 'result' in message ? sha256Hex(JSON.stringify(message.result)) : undefined
}

function toolsIn(message: JSONRPCMessage): readonly unknown[] {
  const tools = 'result' in message ? message.result['tools'] : undefined
  return Array.isArray(tools) ? tools : []
}

/** The text of a failed call; undefined if it succeeded. */
function errorIn(message: JSONRPCMessage): string | undefined {
  if ('error' in message) return message.error.message
  if (!('result' in message) || message.result['isError'] !== true) return undefined
  const { content } = message.result
  const blocks: unknown[] = Array.isArray(content) ? content : []
  return blocks
    .flatMap((block) => (isJsonObject(block) ? block['text'] : []))
    .filter((text) => typeof text === 'string')
    .join('\n')
}

/** Error codes of JSON-RPC 2.0, section 5.1. */
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603
/** The first of the codes that implementations may define. */
const SERVER_ERROR = -32_000
const MALFORMED = 'name must be a string and arguments must be an object.'

function errorOf(id: RequestId, code: number, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** Shortens validation errors, which have one line for each possible message type. */
function oneLine(err: Error): string {
  return err.message.replace(/\s+/g, ' ').slice(0, 200)
}

/**
 * Undefined if the call is malformed. It must not be forwarded: a lenient server might accept an array
 * as name or a string as arguments, and no decision would cover that call.
 */
function readCall(message: JSONRPCMessage): {
  call: ToolCall | undefined
  forwarded: JSONRPCMessage
} {
  const params: unknown = 'params' in message ? message.params : undefined
  const fields = isJsonObject(params) ? params : {}
  const { [THINKING_KEY]: thinking, ...meta } = isJsonObject(fields['_meta']) ? fields['_meta'] : {}
  const tool = fields['name']
  const args = fields['arguments'] ?? {}
  if (typeof tool !== 'string' || !isJsonObject(args))
    return { call: undefined, forwarded: message }
  const call: ToolCall = {
    tool,
    arguments: args,
    thinking: typeof thinking === 'string' ? thinking : undefined,
  }
  if (thinking === undefined) return { call, forwarded: message }
  // The cast is safe: it is the message that was parsed, without one of its own members.
  return { call, forwarded: { ...message, params: { ...fields, _meta: meta } } as JSONRPCMessage }
}

function withNotices(message: JSONRPCMessage, notices: readonly string[]): JSONRPCMessage {
  if (notices.length === 0 || !('result' in message)) return message
  const { content } = message.result
  if (!Array.isArray(content)) return message
  const blocks = notices.map((text) => ({ type: 'text', text }))
  return { ...message, result: { ...message.result, content: [...content, ...blocks] } }
}
