import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeepAliveFetch, type StreamListener } from './keep-alive-fetch.ts'

type Handler = (req: IncomingMessage, body: string, res: ServerResponse) => void

async function startServer(handle: Handler): Promise<{ url: string; server: Server }> {
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += String(chunk)
    handle(req, body, res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describe('createKeepAliveFetch', () => {
  it('behaves like fetch and reuses one connection', async () => {
    const ports = new Set<number | undefined>()
    const { url } = await startServer(({ method, headers, socket }, body, res) => {
      ports.add(socket.remotePort)
      res.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'r-1' })
      res.end(JSON.stringify({ method, key: headers['x-key'], body }))
    })
    const keepAliveFetch = createKeepAliveFetch()
    for (const body of ['Grüße', '{}']) {
      const answer = await keepAliveFetch(`${url}/v1`, {
        method: 'POST',
        headers: { 'X-Key': 'k' },
        body,
      })
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([201, 'r-1'])
      expect(await answer.json()).toEqual({ method: 'POST', key: 'k', body })
    }
    expect(ports.size).toBe(1)
  })

  it('reads a response without a body, and follows redirects', async () => {
    const { url } = await startServer((req, _body, res) => {
      if (req.url === '/old') res.writeHead(307, { location: '/new' })
      else res.writeHead(204)
      res.end()
    })
    const answer = await createKeepAliveFetch()(`${url}/old`, { method: 'POST', body: '{}' })
    expect([answer.status, await answer.text()]).toEqual([204, ''])
  })

  it('retries if the service has closed an idle connection', async () => {
    let requests = 0
    const { url } = await startServer((req, _body, res) => {
      requests += 1
      // Simulates a server that closes an idle connection just as the request arrives.
      if (requests === 2) req.socket.resetAndDestroy()
      else res.end('yes')
    })
    const keepAliveFetch = createKeepAliveFetch()
    for (const _ of [1, 2]) {
      const answer = await keepAliveFetch(url, { method: 'POST', body: '{}' })
      expect(await answer.text()).toBe('yes')
    }
    expect(requests).toBe(3)
  })

  it('fails like fetch on a timeout or a refused connection', async () => {
    const { url, server } = await startServer(() => undefined)
    const signal = AbortSignal.timeout(20)
    await expect(createKeepAliveFetch()(url, { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    const failed = createKeepAliveFetch()(url)
    await expect(failed).rejects.toBeInstanceOf(TypeError)
    await expect(failed).rejects.toThrow('fetch failed')
  })

  describe('with a stream of events', () => {
    const response = { jsonrpc: '2.0', id: 7, result: { said: 'Grüße 💶' } }
    const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`
    const post = async (pieces: readonly string[], onStream?: StreamListener) => {
      const { url } = await startServer((_req, _body, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's' })
        const next = ([piece, ...others]: readonly string[]) => {
          if (piece === undefined) res.end()
          else res.write(piece, () => setImmediate(next, others))
        }
        next(pieces)
      })
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call' })
      return createKeepAliveFetch({ ...(onStream && { onStream }) })(url, { method: 'POST', body })
    }

    it.each([event(response), `data:${JSON.stringify(response)}\r\n\r\n`])(
      'gives the response to its request as JSON',
      async (piece) => {
        const answer = await post([piece])
        expect(answer.headers.get('content-type')).toBe('application/json')
        expect(answer.headers.get('mcp-session-id')).toBe('s')
        expect(await answer.json()).toEqual(response)
      },
    )

    it.each([
      ['with an event before it', [event({ jsonrpc: '2.0', method: 'n' }), event(response)]],
      ['with an id', [`id: 1\n${event(response)}`]],
      ['to another request', [event({ ...response, id: '7' })]],
      ['in pieces', [event(response).slice(0, 30), event(response).slice(30)]],
      ['that is no JSON', ['data: {\n\n']],
      ['of nothing', []],
    ])('stays a stream for a response %s', async (_what, pieces) => {
      const streamed: string[] = []
      const answer = await post(pieces, (_answer, sent) => void streamed.push(sent))
      expect(answer.headers.get('content-type')).toBe('text/event-stream')
      expect(await answer.text()).toBe(pieces.join(''))
      expect(streamed).toEqual([expect.stringContaining('"id":7')])
    })
  })
})
