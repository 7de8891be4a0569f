import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '@touchstone/protocol/base'

export type ClientLineOptions = { stdin: Readable; stdout: Writable; bytesMax: number }

/** Of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const NEWLINE = 0x0a

/**
 * The client at the other end of standard input and output, a message a line. Unlike the SDK's own
 * transport it answers what is no message, with an error, so that nobody waits for an answer that
 * never comes.
 */
export function createClientLine({ stdin, stdout, bytesMax }: ClientLineOptions): Transport {
  const chunks: Buffer[] = []
  let bytes = 0

  const write = async (message: object): Promise<void> => {
    if (!stdout.write(`${JSON.stringify(message)}\n`)) await once(stdout, 'drain')
  }

  const refuse = (id: string | number | null, code: number, message: string): void => {
    line.onerror?.(new Error(message))
    write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined)
  }

  const take = (text: string): void => {
    if (text.trim() === '') return
    const json = parsed(text)
    const message = JSONRPCMessageSchema.safeParse(json?.value)
    if (json === undefined) refuse(null, PARSE_ERROR, 'The line is no JSON.')
    else if (message.success) line.onmessage?.(message.data)
    else refuse(idOf(json.value), INVALID_REQUEST, 'The JSON is no message of the protocol.')
  }

  const hear = (chunk: Buffer): void => {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      const text = Buffer.concat([...chunks.splice(0), rest.subarray(0, end)]).toString()
      bytes = 0
      rest = rest.subarray(end + 1)
      take(text)
    }
    chunks.push(rest)
    bytes += rest.length
    if (bytes <= bytesMax) return
    line.onerror?.(new Error(`a message of more than ${bytesMax} bytes`))
    void line.close()
  }

  const fail = (err: Error): void => line.onerror?.(err)

  const line: Transport = {
    async start() {
      stdin.on('data', hear)
      stdin.on('error', fail)
    },
    send: write,
    async close() {
      stdin.off('data', hear)
      stdin.off('error', fail)
      stdin.pause()
      chunks.length = 0
      line.onclose?.()
    },
  }
  return line
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Of a request that can be told to be one; else JSON-RPC wants null. */
function idOf(value: unknown): string | number | null {
  if (!isJsonObject(value) || !('method' in value)) return null
  const { id } = value
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
