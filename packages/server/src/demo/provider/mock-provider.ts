import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, deliver } from './delivery.ts'
import { requestForm, type WireName } from './request-form.ts'

/** A request as the mock received it. */
export type ModelRequest = {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  raw: Buffer
  /** The JSON body; empty if there is none. */
  body: Record<string, unknown>
  wire: WireName
  /** How the exchange ended: false if the client left before the answer was complete. */
  completed: Promise<boolean>
}

export type MockProvider = { url: string; close(): Promise<void> }

/**
 * Starts a server on 127.0.0.1 that speaks the APIs of Anthropic, OpenAI (chat completions and
 * responses) and Gemini, with a script in place of a model. A port of 0 is any free one. Every other request is
 * answered with its own method, path and headers, so that a test sees what was passed through.
 */
export async function startMockProvider(
  answer: (request: ModelRequest) => Answer | Promise<Answer>,
  port = 0,
): Promise<MockProvider> {
  const server = createServer((req, res) => {
    // Connections break in tests; both ends learn that from the socket.
    respond(req, res, answer).catch(() => res.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  // The cast holds because address() returns a string only for pipes.
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(
  req: IncomingMessage,
  res: ServerResponse,
  answer: (request: ModelRequest) => Answer | Promise<Answer>,
): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://127.0.0.1')
  const raw = await bytesOf(req)
  const body = jsonOf(raw)
  const form = requestForm(url, body)
  const method = req.method ?? 'GET'
  if (form === undefined || method !== 'POST') {
    res.setHeader('content-type', 'application/json')
    const received = { method, path: req.url, headers: req.headers, bytes: raw.length }
    return void res.end(JSON.stringify(received))
  }
  const completed = new Promise<boolean>((resolve) => {
    res.once('close', () => resolve(res.writableFinished))
  })
  const request = { method, url: req.url ?? '', headers: req.headers, raw, body }
  await deliver(res, form, await answer({ ...request, wire: form.name, completed }))
}

async function bytesOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function jsonOf(raw: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(raw.toString())
    // The cast only permits reading fields, each of which is checked where it is read.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
