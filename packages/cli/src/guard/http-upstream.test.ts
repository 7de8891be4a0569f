import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMcpServer } from '#harness/mcp-server.ts'
import { freePort } from '#harness/port.ts'
import { createHttpUpstream, type HttpUpstreamOptions } from './http-upstream.ts'

const SECRET = 'sk-very-secret'

/** An MCP client that speaks through the upstream. */
async function connectTo(url: string, options: Partial<HttpUpstreamOptions> = {}) {
  const upstream = createHttpUpstream({
    url: new URL(url),
    headers: { authorization: `Bearer ${SECRET}` },
    bytesMax: 1_000_000,
    ...options,
  })
  const client = new Client({ name: 'test', version: '1' })
  const errors: string[] = []
  client.onerror = (err) => void errors.push(err.message)
  onTestFinished(() => client.close())
  await client.connect(upstream)
  return { client, errors }
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing failed',
    (err: Error) => err.message,
  )
}

/** A server that answers as the test says; `initialize` of MCP works if `answer` passes it on. */
async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/${SECRET}`
}

const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'odd', version: '1' },
}

/** A server that begins sessions, and answers every other request with `answer`. */
const startOdd = (answer: (id: unknown, ...exchange: Parameters<RequestListener>) => void) =>
  startServer((req, res) => {
    if (req.method !== 'POST') return void res.writeHead(405).end()
    let text = ''
    req.on('data', (chunk) => {
      text += chunk
    })
    req.on('end', () => {
      const { id, method } = JSON.parse(text)
      if (id === undefined) return void res.writeHead(202).end()
      if (method !== 'initialize') return answer(id, req, res)
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ jsonrpc: '2.0', id, result: INITIALIZED }))
    })
  })

describe.each(['streamable', 'sse'] as const)('a server over %s', (kind) => {
  it('is used with its headers, and gets the protocol version of the session', async () => {
    const server = await startMcpServer(kind)
    const { client } = await connectTo(server.url)
    expect((await client.listTools()).tools).toHaveLength(1)
    const { content } = await client.callTool({ name: 'echo', arguments: { text: 'Grüße 💶' } })
    expect(content).toEqual([{ type: 'text', text: '{"text":"Grüße 💶"}' }])
    for (const { headers } of server.requests) {
      expect(headers['authorization']).toBe(`Bearer ${SECRET}`)
    }
    const last = server.requests.at(-1)
    expect(last?.headers['mcp-protocol-version']).toMatch(/^\d{4}-\d\d-\d\d$/)
  })
})

describe('a server over streamable HTTP', () => {
  it('gets a new session after it forgot the old one, and a DELETE at the end', async () => {
    const server = await startMcpServer('streamable')
    const { client } = await connectTo(server.url)
    await server.forget()
    const calls = [1, 2, 3].map((n) => client.callTool({ name: 'echo', arguments: { n } }))
    expect((await Promise.all(calls)).map(({ content }) => content)).toEqual(
      [1, 2, 3].map((n) => [{ type: 'text', text: `{"n":${n}}` }]),
    )
    await client.close()
    expect(server.requests.at(-1)?.method).toBe('DELETE')
  })
})

describe('a server that cannot be used', () => {
  const statuses: [number, string][] = [
    [401, 'answered 401: it requires credentials; give them with --header'],
    [403, 'answered 403: it does not accept these credentials'],
    [404, 'answered 404: there is no MCP server at this path of --url'],
    [405, 'answered 405: there is no MCP server at this path of --url'],
    [500, 'answered 500'],
  ]

  it.each(statuses)('with status %i is reported without secrets', async (status, text) => {
    const url = await startServer((req, res) => {
      res.writeHead(status).end(`Not for ${req.headers['authorization']} at ${req.url}`)
    })
    const failure = await failureOf(connectTo(url))
    expect(failure).toContain(text)
    expect(failure).toContain(new URL(url).origin)
    expect(failure).not.toContain(SECRET)
  })

  it('is reported if nothing listens there', async () => {
    const failure = await failureOf(connectTo(`http://127.0.0.1:${await freePort()}/mcp`))
    expect(failure).toContain('cannot be reached: connect ECONNREFUSED')
  })

  it('is reported if it redirects elsewhere, which gets no headers', async () => {
    const received: unknown[] = []
    const elsewhere = await startServer((req, res) => {
      received.push(req.headers)
      res.end()
    })
    const url = await startServer((_req, res) => {
      res.writeHead(307, { location: elsewhere }).end()
    })
    const failure = await failureOf(connectTo(url))
    expect(failure).toContain('answered 307: it redirects to another address')
    expect(failure).not.toContain(SECRET)
    expect(received).toEqual([])
  })

  it.each([
    ['a web page', 'text/html', '<p>Hello</p>', 'did not answer with MCP'],
    ['broken JSON', 'application/json', '{"jsonrpc":', 'sent what is not MCP'],
    ['other JSON', 'application/json', '{"hello":1}', 'sent what is not MCP'],
    ['a huge answer', 'application/json', 'x'.repeat(1_100_000), 'exceeds the limit'],
  ])('is reported if it answers with %s', async (_what, type, body, text) => {
    const url = await startServer((_req, res) => {
      res.writeHead(200, { 'content-type': type }).end(body)
    })
    expect(await failureOf(connectTo(url))).toContain(text)
  })

  it('is reported if it does not answer in time', async () => {
    const url = await startServer(() => undefined)
    const failure = await failureOf(connectTo(url, { connectMsMax: 200 }))
    expect(failure).toContain('no answer within 0.2 seconds')
  })
})

describe('a server that fails during a session', () => {
  it('has its request answered if the stream ends without a result', async () => {
    const url = await startOdd((_id, _req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.end('data: rubbish\n\n')
    })
    const { client, errors } = await connectTo(url)
    expect(await failureOf(client.callTool({ name: 'echo' }))).toContain(
      'ended its answer without a result',
    )
    expect(errors.join()).toContain('sent what is not MCP')
  })

  it('has its request answered if it sends an endless line', async () => {
    const url = await startOdd((_id, _req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let n = 0; n < 20; n += 1) res.write('x'.repeat(100_000))
    })
    const { client } = await connectTo(url)
    expect(await failureOf(client.callTool({ name: 'echo' }))).toContain('without a result')
  })

  it('is never asked twice to call a tool, though its connection may have been idle', async () => {
    let calls = 0
    const url = await startOdd((_id, req) => {
      calls += 1
      req.socket.resetAndDestroy()
    })
    const { client } = await connectTo(url)
    expect(await failureOf(client.callTool({ name: 'echo' }))).toContain('cannot be reached')
    expect(calls).toBe(1)
  })

  it('has its request answered if it is away, and works again when it is back', async () => {
    const server = await startMcpServer('streamable')
    const { client } = await connectTo(server.url)
    await server.close()
    expect(await failureOf(client.callTool({ name: 'echo' }))).toContain('cannot be reached')
  })
})
