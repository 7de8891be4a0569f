import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeptFetch } from './kept-fetch.ts'

type Answering = (req: IncomingMessage, body: string, res: ServerResponse) => void

async function listening(answer: Answering): Promise<{ url: string; server: Server }> {
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += String(chunk)
    answer(req, body, res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describe('a fetch that keeps its connections', () => {
  it('sends and reads what fetch would, on one connection', async () => {
    const ports = new Set<number | undefined>()
    const { url } = await listening(({ method, headers, socket }, body, res) => {
      ports.add(socket.remotePort)
      res.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'r-1' })
      res.end(JSON.stringify({ method, key: headers['x-key'], body }))
    })
    const kept = createKeptFetch()
    for (const body of ['Grüße', '{}']) {
      const answer = await kept(`${url}/v1`, { method: 'POST', headers: { 'X-Key': 'k' }, body })
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([201, 'r-1'])
      expect(await answer.json()).toEqual({ method: 'POST', key: 'k', body })
    }
    expect(ports.size).toBe(1)
  })

  it('reads an answer without a body, and follows where it is sent elsewhere', async () => {
    const { url } = await listening((req, _body, res) => {
      if (req.url === '/old') res.writeHead(307, { location: '/new' })
      else res.writeHead(204)
      res.end()
    })
    const answer = await createKeptFetch()(`${url}/old`, { method: 'POST', body: '{}' })
    expect([answer.status, await answer.text()]).toEqual([204, ''])
  })

  it('asks again when the service has closed a kept connection meanwhile', async () => {
    let asked = 0
    const { url } = await listening((req, _body, res) => {
      asked += 1
      // As a service that ends idle connections, at the worst moment.
      if (asked === 2) req.socket.resetAndDestroy()
      else res.end('yes')
    })
    const kept = createKeptFetch()
    for (const _ of [1, 2]) {
      const answer = await kept(url, { method: 'POST', body: '{}' })
      expect(await answer.text()).toBe('yes')
    }
    expect(asked).toBe(3)
  })

  it('fails as fetch does when nobody answers, or not in time', async () => {
    const { url, server } = await listening(() => undefined)
    const signal = AbortSignal.timeout(20)
    await expect(createKeptFetch()(url, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    const failed = createKeptFetch()(url)
    await expect(failed).rejects.toBeInstanceOf(TypeError)
    await expect(failed).rejects.toThrow('fetch failed')
  })
})
