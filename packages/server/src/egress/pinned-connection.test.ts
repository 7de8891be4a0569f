import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEST_AUTHORITY, TEST_CERTIFICATE, TEST_KEY } from '#harness/receiver.ts'
import { createEgress } from './egress.ts'

const server = createServer((req, res) => {
  if (req.url === '/drop') req.socket.destroy()
  else res.end(String(req.socket.remotePort))
})
let port = 0

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server's address is an object; strings are for pipes.
  port = (server.address() as AddressInfo).port
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function sender() {
  const egress = createEgress({ allowLoopback: true, allowCidrs: [] })
  return (host: string, path = '/', keepAlive = true) =>
    egress.request({
      url: `http://${host}:${port}${path}`,
      method: 'GET',
      timeoutMs: 5000,
      ...(keepAlive ? { keepAlive } : {}),
    })
}

const portOf = async (answer: ReturnType<ReturnType<typeof sender>>) =>
  (await answer).body.toString()

describe('a kept-alive connection', () => {
  it('serves the next request to the same origin and addresses', async () => {
    const send = sender()
    const ports = new Set<string>()
    for (let i = 0; i < 10; i += 1) ports.add(await portOf(send('127.0.0.1')))
    // A second one is opened while the first is still busy; then they alternate.
    expect(ports.size).toBeLessThanOrEqual(2)
    expect((await send('127.0.0.1')).address).toBe('127.0.0.1')
  })

  it('serves no other origin, and no request without keepAlive', async () => {
    const send = sender()
    const first = await portOf(send('127.0.0.1'))
    expect(await portOf(send('localhost'))).not.toBe(first)
    expect(await portOf(send('127.0.0.1', '/', false))).not.toBe(first)
  })

  it('that breaks fails its own request only', async () => {
    const send = sender()
    await send('127.0.0.1')
    await expect(send('127.0.0.1', '/drop')).rejects.toMatchObject({ kind: 'connection' })
    expect((await send('127.0.0.1')).status).toBe(200)
  })
})

describe('a name that now resolves elsewhere', () => {
  it('is checked again, and no pooled connection is reused for it', async () => {
    const tls = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (req, res) => {
      res.end(String(req.socket.remotePort))
    })
    tls.listen(0, '127.0.0.1')
    await once(tls, 'listening')
    const { port: own } = tls.address() as AddressInfo
    let answer = ['127.0.0.1']
    const egress = createEgress({
      allowLoopback: true,
      allowCidrs: [],
      ca: TEST_AUTHORITY,
      resolve: async () => answer,
    })
    const get = { method: 'GET', timeoutMs: 5000, keepAlive: true } as const
    const send = () => egress.request({ url: `https://receiver.test:${own}/`, ...get })
    const ports = new Set<string>()
    for (let i = 0; i < 10; i += 1) ports.add(await portOf(send()))
    expect(ports.size).toBeLessThanOrEqual(2)
    answer = ['127.0.0.1', '127.0.0.1']
    expect(ports).not.toContain(await portOf(send()))
    answer = ['10.0.0.1']
    await expect(send()).rejects.toMatchObject({ kind: 'refused' })
    tls.closeAllConnections()
    tls.close()
  })
})
