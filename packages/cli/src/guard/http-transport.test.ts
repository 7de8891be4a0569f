import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHttpTransport } from './http-transport.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}
const call = (id: number | string, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', ...(meta && { _meta: meta }) },
})
const result = (id: number | string) =>
  ({ jsonrpc: '2.0', id, result: { said: id } }) as JSONRPCMessage
const notice = (params: object, method = 'notifications/message') =>
  ({ jsonrpc: '2.0', method, params }) as JSONRPCMessage

type Sent = {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  /** Ends the request before its answer. */
  signal?: AbortSignal
}
type Answered = { status: number | undefined; type: string | undefined; text: string }

/** A transport behind a server, and the messages that it delivers. */
async function serve(keepAliveMs?: number) {
  const received: JSONRPCMessage[] = []
  const onBegin = vi.fn(async () => undefined)
  const transport = createHttpTransport({
    bodyBytesMax: 1000,
    onBegin,
    ...(keepAliveMs !== undefined && { keepAliveMs }),
  })
  transport.onmessage = (message) => void received.push(message)
  const server = createServer((req, res) => {
    transport.handle(req, res).catch(() => res.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** Resolves with the answer when it has ended. */
  const send = ({ method = 'POST', body = '', headers = {}, signal }: Sent) =>
    new Promise<Answered>((resolve, reject) => {
      const accept = 'application/json, text/event-stream'
      const given = { 'content-type': 'application/json', accept, ...headers }
      const req = request({ port, method, headers: given, signal }, (res) => {
        let text = ''
        res.on('data', (chunk) => {
          text += chunk
        })
        const type = res.headers['content-type']
        res.on('end', () => resolve({ status: res.statusCode, type, text }))
        res.on('error', reject)
      })
      req.on('error', reject)
      req.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  const untilReceived = (count: number) =>
    vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count))
  const begin = async () => {
    const answer = send({ body: INITIALIZE })
    await untilReceived(1)
    await transport.send(result('first'))
    expect((await answer).status).toBe(200)
  }
  return { transport, received, onBegin, send, untilReceived, begin }
}

const eventsIn = (text: string) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))

describe('createHttpTransport', () => {
  it('answers with JSON if only the response is sent', async () => {
    const { transport, send, untilReceived, begin, onBegin } = await serve()
    await begin()
    expect(onBegin).toHaveBeenCalledExactlyOnceWith(transport.sessionId)
    const answer = send({ body: call(1) })
    await untilReceived(2)
    await transport.send(result(1))
    const { status, type, text } = await answer
    expect([status, type, JSON.parse(text)]).toEqual([200, 'application/json', result(1)])
  })

  it('answers with a stream if more is sent, on the one that a message is about', async () => {
    const { transport, send, untilReceived, begin } = await serve()
    await begin()
    const answers = [1, 2].map((id) => send({ body: call(id, { progressToken: `p${id}` }) }))
    await untilReceived(3)
    const progress = notice({ progressToken: 'p1', progress: 1 }, 'notifications/progress')
    const newest = notice({ data: 'hello' })
    for (const message of [progress, newest, result(2), result(1)]) await transport.send(message)
    const [first, second] = await Promise.all(answers)
    expect([first?.type, second?.type]).toEqual(['text/event-stream', 'text/event-stream'])
    expect(eventsIn(first?.text ?? '')).toEqual([progress, result(1)])
    expect(eventsIn(second?.text ?? '')).toEqual([newest, result(2)])
  })

  it('keeps the connection of a long call alive', async () => {
    const { transport, send, untilReceived, begin } = await serve(5)
    await begin()
    const answer = send({ body: call(1) })
    await untilReceived(2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await transport.send(result(1))
    const { type, text } = await answer
    expect(type).toBe('text/event-stream')
    expect(text).toContain(': keep-alive\n\n')
    expect(eventsIn(text)).toEqual([result(1)])
  })

  it('answers all requests of a batch, and accepts notifications', async () => {
    const { transport, send, untilReceived, begin, received } = await serve()
    await begin()
    const answer = send({ body: [call(1), notice({}), call(2)] })
    await untilReceived(4)
    await transport.send(result(2))
    await transport.send(result(1))
    expect(eventsIn((await answer).text)).toEqual([result(2), result(1)])
    expect(await send({ body: notice({}) })).toMatchObject({ status: 202, text: '' })
    expect(received).toHaveLength(5)
  })

  it('has one stream for messages that answer nothing', async () => {
    const { transport, send, begin } = await serve()
    await begin()
    const stream = send({ method: 'GET' })
    await vi.waitFor(async () => expect((await send({ method: 'GET' })).status).toBe(409))
    await transport.send(notice({ data: 'hello' }))
    await transport.close()
    expect(eventsIn((await stream).text)).toEqual([notice({ data: 'hello' })])
    expect((await send({ body: call(1) })).status).toBe(404)
  })

  it('ends at the request of the client, with the requests that wait', async () => {
    const { transport, send, untilReceived, begin } = await serve()
    const onclose = vi.fn()
    transport.onclose = onclose
    await begin()
    const answer = send({ body: call(1) })
    await untilReceived(2)
    expect((await send({ method: 'DELETE' })).status).toBe(200)
    expect(onclose).toHaveBeenCalledOnce()
    expect((await answer).status).toBe(404)
  })

  it('forgets a request whose client has gone', async () => {
    const { transport, send, untilReceived, begin } = await serve()
    await begin()
    const gone = new AbortController()
    const answer = send({ body: call(1), signal: gone.signal })
    await untilReceived(2)
    gone.abort()
    await expect(answer).rejects.toThrow('aborted')
    await vi.waitFor(() =>
      expect(transport.send(result(1))).rejects.toThrow('no longer waits for this answer'),
    )
  })

  it.each<[string, Sent, number]>([
    ['an Accept without a stream', { headers: { accept: 'application/json' } }, 406],
    ['another type', { headers: { 'content-type': 'text/plain' }, body: call(1) }, 415],
    ['a name that only begins so', { headers: { 'content-type': 'application/jsonp' } }, 415],
    ['a long body', { body: 'x'.repeat(1001) }, 413],
    ['no JSON', { body: '{"jsonrpc":' }, 400],
    ['no message', { body: { id: 1 } }, 400],
    ['an empty batch', { body: [] }, 400],
    ['a long batch', { body: Array.from({ length: 101 }, () => 1) }, 400],
    ['another beginning', { body: INITIALIZE }, 400],
    ['an unknown version', { headers: { 'mcp-protocol-version': '1' }, body: call(1) }, 400],
    ['one id twice', { body: [call(1), call(1)] }, 400],
    ['another method', { method: 'PUT' }, 405],
  ])('refuses %s', async (_what, sent, status) => {
    const { send, begin, received } = await serve()
    await begin()
    expect((await send(sent)).status).toBe(status)
    expect(received).toHaveLength(1)
  })

  it('refuses requests before the session begins, and an id that is in use', async () => {
    const { transport, send, untilReceived, begin, onBegin } = await serve()
    expect((await send({ body: call(1) })).status).toBe(400)
    expect((await send({ method: 'GET' })).status).toBe(400)
    expect((await send({ body: [INITIALIZE, call(1)] })).status).toBe(400)
    expect(onBegin).not.toHaveBeenCalled()
    await begin()
    const answer = send({ body: call(1) })
    await untilReceived(2)
    expect((await send({ body: call(1) })).status).toBe(400)
    await transport.send(result(1))
    expect((await answer).status).toBe(200)
  })
})
