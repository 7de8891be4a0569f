import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { createEgress, type EgressOptions, type EgressRequest } from './egress.ts'

/** A key used only here, and its certificate for receiver.test, valid from 2020 to 2120. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgknSZA/LpNAXwHWP0
oDPUKxWXnWATvEhHP5VdH3hfVbGhRANCAATy3zNtQrxd423QZInAnWywx2/IIRT9
OrBZWJZM2Yqn6CfpZV27L+VRJnsY2Y3ns4a5DFL1NQ//XJSP4oPI2gWW
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBbjCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1yZWNlaXZl
ci50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1yZWNlaXZlci50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8t8z
bUK8XeNt0GSJwJ1ssMdvyCEU/TqwWViWTNmKp+gn6WVduy/lUSZ7GNmN57OGuQxS
9TUP/1yUj+KDyNoFlqNMMEowGAYDVR0RBBEwD4INcmVjZWl2ZXIudGVzdDAPBgNV
HRMBAf8EBTADAQH/MB0GA1UdDgQWBBRZ29iW5NLr5/co7sJyEjFyuPStBTAKBggq
hkjOPQQDAgNJADBGAiEA58aUIkeBphRz2WnaYdXXFIVU8k84Z1IV4G7sF0omds4C
IQD93z2m3aPb9JIBmDBI4WBD1BvmMFRYvOHzUrgZHd6Oow==
-----END CERTIFICATE-----`

const open: { close(): void; closeAllConnections?(): void }[] = []

afterEach(() => {
  vi.unstubAllEnvs()
  for (const server of open.splice(0)) {
    server.closeAllConnections?.()
    server.close()
  }
})

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server's address is an object; strings are for pipes.
  const { port } = server.address() as AddressInfo
  return port
}

const listenHttp = (answer: RequestListener) => listen(createHttpServer(answer))
const listenHttps = (answer: RequestListener) =>
  listen(createHttpsServer({ key: KEY, cert: CERTIFICATE }, answer))

const answering = (...addresses: string[]) => vi.fn(async () => addresses)

function egress(options: Partial<EgressOptions> = {}) {
  return createEgress({
    allowLoopback: true,
    allowCidrs: [],
    resolve: answering('127.0.0.1'),
    ca: CERTIFICATE,
    ...options,
  })
}

const get = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url,
  method: 'GET',
  timeoutMs: 5000,
  ...more,
})

describe('a request over TLS', () => {
  it('reaches the receiver by name, with SNI, and returns its answer', async () => {
    const seen = vi.fn()
    const port = await listenHttps(async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk)
      seen(req.method, req.url, req.headers['x-webhook-id'], Buffer.concat(chunks).toString())
      seen(req.headers.host, 'servername' in req.socket && req.socket.servername)
      res.writeHead(201, { 'x-seen': 'yes' }).end('thanks')
    })
    const answer = await egress().request({
      url: `https://receiver.test.:${port}/hook?a=1`,
      method: 'POST',
      headers: { 'x-webhook-id': 'evt-1' },
      body: '{"id":"é"}',
      timeoutMs: 5000,
    })
    expect(answer).toMatchObject({ status: 201, address: '127.0.0.1', truncated: false })
    expect(answer.headers['x-seen']).toBe('yes')
    expect(answer.body.toString()).toBe('thanks')
    expect(answer.latencyMs).toBeGreaterThanOrEqual(0)
    expect(seen.mock.calls).toEqual([
      ['POST', '/hook?a=1', 'evt-1', '{"id":"é"}'],
      [`receiver.test:${port}`, 'receiver.test'],
    ])
  })

  it('fails when the certificate is for another name', async () => {
    const port = await listenHttps((_, res) => res.end())
    const call = egress().request(get(`https://other.test:${port}/`))
    await expect(call).rejects.toMatchObject({ kind: 'tls' })
  })

  it('fails when the certificate is for a name and the URL holds an address', async () => {
    const port = await listenHttps((_, res) => res.end())
    const call = egress().request(get(`https://127.0.0.1:${port}/`))
    await expect(call).rejects.toMatchObject({ kind: 'tls' })
  })

  it('fails if no trusted authority signed the certificate, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const port = await listenHttps((_, res) => res.end())
    const guard = createEgress({
      allowLoopback: true,
      allowCidrs: [],
      resolve: answering('127.0.0.1'),
    })
    await expect(guard.request(get(`https://receiver.test:${port}/`))).rejects.toMatchObject({
      kind: 'tls',
    })
  })

  it('fails when the receiver does not speak TLS', async () => {
    const port = await listenHttp((_, res) => res.end())
    const call = egress().request(get(`https://receiver.test:${port}/`))
    await expect(call).rejects.toMatchObject({ kind: 'tls' })
  })
})

describe('the address a request goes to', () => {
  it('is the one that was checked, even if the name server then changes its answer', async () => {
    const port = await listenHttps((_, res) => res.end('pinned'))
    const resolve = vi.fn(async () => ['127.0.0.66'])
    resolve.mockResolvedValueOnce(['127.0.0.1'])
    const answer = await egress({ resolve }).request(get(`https://receiver.test:${port}/`))
    expect(answer.body.toString()).toBe('pinned')
    expect(answer.address).toBe('127.0.0.1')
    expect(resolve).toHaveBeenCalledTimes(1)
  })

  it('is checked again on each request, after the name was stored as public', async () => {
    const hits = vi.fn()
    const port = await listenHttps((_, res) => {
      hits()
      res.end()
    })
    const resolve = vi.fn(async () => ['127.0.0.1'])
    resolve.mockResolvedValueOnce(['8.8.8.8'])
    const guard = egress({ allowLoopback: false, resolve })
    const url = `https://receiver.test:${port}/`
    await expect(guard.assertAllowed(url)).resolves.toMatchObject({ href: url })
    await expect(guard.request(get(url))).rejects.toMatchObject({ kind: 'refused' })
    expect(hits).not.toHaveBeenCalled()
  })

  it.each([
    ['public and private', ['8.8.8.8', '10.0.0.1']],
    ['private and public', ['10.0.0.1', '8.8.8.8']],
    ['public and loopback IPv6', ['8.8.8.8', '::1']],
    ['public and mapped metadata', ['2606:4700::1', '::ffff:169.254.169.254']],
    ['something that is no address', ['8.8.8.8', 'receiver.test']],
  ])('is refused when a name has %s addresses', async (_, addresses) => {
    const guard = egress({ allowLoopback: false, resolve: answering(...addresses) })
    const url = 'https://receiver.test/'
    await expect(guard.assertAllowed(url)).rejects.toMatchObject({ kind: 'refused' })
    await expect(guard.request(get(url))).rejects.toMatchObject({ kind: 'refused' })
  })

  it('can be any of several allowed ones', async () => {
    const port = await listenHttps((_, res) => res.end('second'))
    const guard = egress({ resolve: answering('::1', '127.0.0.1') })
    const answer = await guard.request(get(`https://receiver.test:${port}/`))
    expect(answer.address).toBe('127.0.0.1')
  })

  it('is local for localhost, without asking a name server', async () => {
    const port = await listenHttp((_, res) => res.end('here'))
    const resolve = answering('8.8.8.8')
    const answer = await egress({ resolve }).request(get(`http://localhost:${port}/`))
    expect(answer.body.toString()).toBe('here')
    expect(resolve).not.toHaveBeenCalled()
  })

  it('is open in the ranges the operator lists, by name too', async () => {
    const port = await listenHttps((_, res) => res.end('listed'))
    const guard = egress({ allowLoopback: false, allowCidrs: ['127.0.0.1/32'] })
    const answer = await guard.request(get(`https://receiver.test:${port}/`))
    expect(answer.body.toString()).toBe('listed')
  })
})

describe('an answer', () => {
  it('that redirects is returned, not followed', async () => {
    const hits = vi.fn()
    const port = await listenHttp((req, res) => {
      hits(req.url)
      res.writeHead(302, { location: '/elsewhere' }).end()
    })
    const answer = await egress().request(get(`http://127.0.0.1:${port}/`))
    expect(answer.status).toBe(302)
    expect(answer.headers['location']).toBe('/elsewhere')
    expect(hits.mock.calls).toEqual([['/']])
  })

  it.each([
    { size: 64 * 1024, truncated: false },
    { size: 64 * 1024 + 1, truncated: true },
    { size: 3_000_000, truncated: true },
  ])('of $size bytes is read up to 64 KiB', async ({ size, truncated }) => {
    const port = await listenHttp((_, res) => res.end(Buffer.alloc(size, 'x')))
    const answer = await egress().request(get(`http://127.0.0.1:${port}/`))
    expect(answer.body.length).toBe(64 * 1024)
    expect(answer.truncated).toBe(truncated)
  })

  it('that never ends is cut, and its connection closed', async () => {
    const closed = vi.fn()
    const port = await listenHttp((_, res) => {
      const timer = setInterval(() => res.write(Buffer.alloc(10_000)), 1)
      res.on('close', () => {
        clearInterval(timer)
        closed()
      })
    })
    const answer = await egress().request(get(`http://127.0.0.1:${port}/`, { maxBytes: 1000 }))
    expect(answer.body.length).toBe(1000)
    await eventually(() => expect(closed).toHaveBeenCalled())
  })

  it('over the limit fails if its beginning is useless', async () => {
    const port = await listenHttp((_, res) => res.end('12345'))
    const call = get(`http://127.0.0.1:${port}/`, { maxBytes: 4, overflow: 'fail' })
    await expect(egress().request(call)).rejects.toMatchObject({ kind: 'too_large' })
    expect((await egress().request({ ...call, maxBytes: 5 })).body.toString()).toBe('12345')
  })

  it('without a body is an empty one', async () => {
    const port = await listenHttp((_, res) => res.writeHead(204).end())
    const answer = await egress().request(get(`http://127.0.0.1:${port}/`))
    expect(answer).toMatchObject({ status: 204, truncated: false })
    expect(answer.body.length).toBe(0)
  })
})

describe('one deadline covers', () => {
  const timeoutMs = 150

  it('a name server that stays silent', async () => {
    const guard = egress({ resolve: () => new Promise(() => {}) })
    const call = guard.request(get('https://receiver.test/', { timeoutMs }))
    await expect(call).rejects.toMatchObject({ kind: 'timeout' })
  })

  it('a receiver that accepts and says nothing', async () => {
    const port = await listen(createTcpServer(() => {}))
    for (const scheme of ['http', 'https']) {
      const call = egress().request(get(`${scheme}://localhost:${port}/`, { timeoutMs }))
      await expect(call).rejects.toMatchObject({ kind: 'timeout' })
    }
  })

  it('a body that trickles', async () => {
    const port = await listenHttp((_, res) => {
      const timer = setInterval(() => res.write('.'), 10)
      res.on('close', () => clearInterval(timer))
    })
    const call = egress().request(get(`http://127.0.0.1:${port}/`, { timeoutMs }))
    await expect(call).rejects.toMatchObject({ kind: 'timeout' })
  })
})

describe('a failure', () => {
  it('to resolve is told from a refusal, and an unresolvable name may be stored', async () => {
    const resolve = vi.fn(async () => Promise.reject(new Error('ENOTFOUND')))
    const guard = egress({ resolve })
    const url = 'https://receiver.test/'
    await expect(guard.request(get(url))).rejects.toMatchObject({ kind: 'dns' })
    await expect(guard.assertAllowed(url)).resolves.toMatchObject({ href: url })
    await expect(egress({ resolve: answering() }).request(get(url))).rejects.toMatchObject({
      kind: 'dns',
    })
  })

  it('to connect or to speak HTTP is a connection failure that names no address', async () => {
    const silent = createTcpServer((socket) => socket.destroy())
    const port = await listen(silent)
    const dropped = egress().request(get(`http://127.0.0.1:${port}/`))
    await expect(dropped).rejects.toMatchObject({ kind: 'connection' })
    silent.close()
    await once(silent, 'close')
    const refused = egress().request(get(`http://127.0.0.1:${port}/`))
    await expect(refused).rejects.toMatchObject({
      kind: 'connection',
      message: 'the connection failed (ECONNREFUSED)',
    })
  })

  it('of the rules is a refusal before anything is sent or resolved', async () => {
    const resolve = answering('8.8.8.8')
    const guard = egress({ allowLoopback: false, resolve })
    for (const url of ['http://example.com/', 'https://127.1/', 'https://[::1]/', 'nonsense']) {
      await expect(guard.request(get(url))).rejects.toMatchObject({ kind: 'refused' })
      await expect(guard.assertAllowed(url)).rejects.toMatchObject({ kind: 'refused' })
    }
    expect(resolve).not.toHaveBeenCalled()
  })

  it("in the operator's ranges stops the start", () => {
    expect(() => egress({ allowCidrs: ['10.0.0.0/8', '10/8'] })).toThrow('10/8')
  })
})
