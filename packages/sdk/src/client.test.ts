import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from './client.ts'

type Step = (res: ServerResponse) => void

const dropConnection: Step = (res) => res.destroy()
const answer =
  (status: number, headers: Record<string, string> = {}, body: object = {}): Step =>
  (res) =>
    res
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

/** Starts a server that plays the given steps in order and records the requests. */
async function startServer(...steps: Step[]) {
  const seen: IncomingMessage[] = []
  const server = createServer((req, res) => {
    seen.push(req)
    const step = steps[seen.length - 1] ?? answer(500)
    req.resume().on('end', () => step(res))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}/`
  return { seen, client: createClient({ baseUrl, token: 'tsk_1', orgId: 'org-1' }), baseUrl }
}

const decide = { body: { agent_id: 'agent-1', tool: 'search' } }

describe('a query', () => {
  it('repeats a parameter with several values and leaves out undefined ones', async () => {
    const { client, seen } = await startServer(answer(200))
    const query = {
      decision: ['block' as const, 'escalate' as const],
      tool: 'a*',
      cursor: undefined,
    }
    await client.request('GET', '/v1/decisions', { query })
    expect(seen[0]?.url).toBe('/v1/decisions?decision=block&decision=escalate&tool=a*')
  })
})

describe('retries', () => {
  it('resend a POST with the same idempotency key until it is answered', async () => {
    const busy = answer(409, {}, { error: 'idempotency_in_progress', message: 'Wait.' })
    const { client, seen } = await startServer(
      dropConnection,
      busy,
      answer(200, {}, { decision: 'allow' }),
    )
    const decided = await client.request('POST', '/v1/gateway/decide', decide)
    expect(decided.decision).toBe('allow')
    const keys = seen.map((req) => req.headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('throw the last error once they are exhausted', async () => {
    const { client, seen } = await startServer(
      answer(500),
      dropConnection,
      answer(503, { 'retry-after': '7' }),
    )
    const failed = client.request('GET', '/v1/agents')
    await expect(failed).rejects.toMatchObject({ status: 503, retryAfter: 7 })
    expect(seen).toHaveLength(3)
  })

  it('are made only for GET and for POST with an idempotency key, and not if retries is 0', async () => {
    const { client, seen, baseUrl } = await startServer(
      dropConnection,
      dropConnection,
      dropConnection,
    )
    const params = { agent_id: 'agent-1' }
    await expect(
      client.request('PUT', '/v1/agents/{agent_id}/policy', { params, body: '' }),
    ).rejects.toThrow()
    const body = { email: 'a@example.com', password: 'secret' }
    await expect(client.request('POST', '/v1/auth/login', { body })).rejects.toThrow()
    const once = createClient({ baseUrl, retries: 0 })
    await expect(once.request('GET', '/v1/agents')).rejects.toThrow()
    expect(seen.map((req) => req.headers['idempotency-key'])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('stop when the caller aborts', async () => {
    const { client, seen } = await startServer(answer(503, { 'retry-after': '50' }))
    const controller = new AbortController()
    const pending = client.request('GET', '/v1/agents', { signal: controller.signal })
    await expect.poll(() => seen.length).toBe(1)
    controller.abort(new Error('no more time'))
    await expect(pending).rejects.toThrow('no more time')
  })
})

describe('a request', () => {
  it('puts parameters, query and headers in their places', async () => {
    const { client, seen } = await startServer(answer(200))
    await client.request('GET', '/v1/agents/{agent_id}/traces', {
      params: { agent_id: 'a/b c' },
      query: { session_id: 's&1', page: 2, from: undefined },
    })
    expect(seen[0]?.url).toBe('/v1/agents/a%2Fb%20c/traces?session_id=s%261&page=2')
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer tsk_1',
      accept: 'application/json',
      'x-org-id': 'org-1',
    })
  })

  it('is not sent if a path parameter is empty', async () => {
    const { client, seen } = await startServer()
    const params = { agent_id: '' }
    await expect(client.request('GET', '/v1/agents/{agent_id}', { params })).rejects.toThrow(
      'agent_id',
    )
    expect(seen).toHaveLength(0)
  })

  it('does not compile if it does not match the API', () => {
    const { request } = createClient({ baseUrl: '' })
    const _never = () => {
      // @ts-expect-error there is no such path
      void request('GET', '/v1/agent')
      // @ts-expect-error the path has no such method
      void request('PATCH', '/v1/agents')
      // @ts-expect-error the parameter of the path is missing
      void request('GET', '/v1/agents/{agent_id}')
      // @ts-expect-error there is no such filter
      void request('GET', '/v1/agents', { query: { colour: 'red' } })
      // @ts-expect-error the tool is missing
      void request('POST', '/v1/gateway/decide', { body: { agent_id: 'agent-1' } })
    }
    expect(_never).toBeTypeOf('function')
  })
})

describe('an error response', () => {
  it('has a code and a message even if the response is an HTML page of a proxy', async () => {
    const page: Step = (res) =>
      res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>?</h1>')
    const { client } = await startServer(page)
    await expect(client.request('GET', '/v1/agents')).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      message: 'The service answered 404.',
    })
  })
})
