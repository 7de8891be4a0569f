import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '@touchstone/protocol/base'

export type ClientTransportOptions = { stdin: Readable; stdout: Writable; bytesMax: number }

/** Error codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const NEWLINE = 0x0a

/**
 * Transport to the MCP client over standard input and output, one message per line. Unlike the stdio
 * transport of the MCP SDK it answers an invalid message with an error, so that the client does not
 * wait for a response that never comes.
 */
export function createClientTransport({
  stdin,
  stdout,
  bytesMax,
}: ClientTransportOptions): Transport {
  const chunks: Buffer[] = []
  let bytes = 0

  const write = async (message: object): Promise<void> => {
    if (!stdout.write(`${JSON.stringify(message)}\n`)) await once(stdout, 'drain')
  }

  const reject = (id: string | number | null, code: number, message: string): void => {
    transport.onerror?.(new Error(message))
    write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined)
  }

  const handleLine = (text: string): void => {
    if (text.trim() === '') return
    const json = parseJson(text)
    const message = JSONRPCMessageSchema.safeParse(json?.value)
    if (json === undefined) reject(null, PARSE_ERROR, 'The line is not valid JSON.')
    else if (message.success) transport.onmessage?.(message.data)
    else reject(idOf(json.value), INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message.')
  }

  const handleChunk = (chunk: Buffer): void => {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      const text = Buffer.concat([...chunks.splice(0), rest.subarray(0, end)]).toString()
      bytes = 0
      rest = rest.subarray(end + 1)
      handleLine(text)
    }
    chunks.push(rest)
    bytes += rest.length
    if (bytes <= bytesMax) return
    transport.onerror?.(new Error(`a message exceeds the limit of ${bytesMax} bytes`))
    void transport.close()
  }

  const fail = (err: Error): void => transport.onerror?.(err)

  const transport: Transport = {
    async start() {
      stdin.on('data', handleChunk)
      stdin.on('error', fail)
    },
    send: write,
    async close() {
      stdin.off('data', handleChunk)
      stdin.off('error', fail)
      stdin.pause()
      chunks.length = 0
      transport.onclose?.()
    },
  }
  return transport
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The id of a request; JSON-RPC requires null if it cannot be determined. */
function idOf(value: unknown): string | number | null {
  if (!isJsonObject(value) || !('method' in value)) return null
  const { id } = value
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
