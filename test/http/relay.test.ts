import { once } from 'node:events'
import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'

let t: TestApp
let provider: PlannedProvider
let service: string
let owner: string

beforeAll(async () => {
  provider = await startPlannedProvider()
  const { url } = provider
  t = await testApp({
    env: {
      MODEL_GATEWAY_UPSTREAMS: JSON.stringify({
        anthropic: url,
        openai: url,
        gemini: url,
        openai_compatible: [url],
      }),
    },
  })
  service = await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  onFileFinished(() => t.app.server.server.closeAllConnections())
  owner = await t.ownerToken()
  await t.call('POST', '/v1/agents', { token: t.first.api_key, body: { agent_id: 'clerk' } })
})

type Connection = { token: string; connection_id: string }

async function connect(body: object): Promise<Connection> {
  const made = await t.call('POST', '/v1/agents/clerk/connections', { token: owner, body })
  expect(made.status).toBe(201)
  return made.body
}

/** Sends the path exactly as it is given, which fetch would normalise. */
async function send(
  path: string,
  given: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
) {
  const { method = 'POST', headers = {}, body } = given
  const { hostname, port } = new URL(service)
  const req = request({ hostname, port, path, method, headers, agent: false })
  req.end(body)
  const [res] = await once(req, 'response')
  const chunks: Buffer[] = []
  let isWhole = true
  try {
    for await (const chunk of res) chunks.push(chunk)
  } catch {
    isWhole = false
  }
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: res.statusCode, headers: res.headers, text, isWhole }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const MESSAGE = {
  model: 'mock-large',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hi' }],
}

const ask = (token: string, body: object = MESSAGE, headers: Record<string, string> = {}) =>
  send(`/llm/${token}/anthropic/v1/messages`, {
    headers: { ...JSON_TYPE, 'x-api-key': 'provider-key-1', ...headers },
    body: JSON.stringify(body),
  })

describe('a governed request', () => {
  it('reaches the provider with its own credential and comes back byte for byte', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    provider.plan({ parts: [{ thinking: 'Let me see.' }, { text: 'Hello.' }] })
    const direct = await fetch(`${provider.url}/v1/messages`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(MESSAGE),
    })
    const answered = await ask(token, MESSAGE, { 'x-touchstone-session': 's1', cookie: 'a=b' })
    expect(answered.status).toBe(200)
    expect(answered.text).toBe(await direct.text())
    expect(answered.headers).toMatchObject({
      'x-touchstone-agent': 'clerk',
      'x-touchstone-session': 's1',
    })
    const [, received] = provider.requests
    expect(received?.raw.toString()).toBe(JSON.stringify(MESSAGE))
    expect(received?.headers).toMatchObject({
      'x-api-key': 'provider-key-1',
      'accept-encoding': 'identity',
    })
    const names = Object.keys(received?.headers ?? {})
    expect(names.filter((name) => name.startsWith('x-touchstone'))).toEqual([])
    expect(names).not.toContain('cookie')
    expect(JSON.stringify(received?.headers)).not.toContain(token)
  })

  it('streams byte for byte', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    const body = { ...MESSAGE, stream: true }
    provider.plan({ parts: [{ thinking: 'Let me see.' }, { text: 'Hello.' }], pings: true })
    const direct = await fetch(`${provider.url}/v1/messages`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    })
    const answered = await ask(token, body)
    expect(answered.text).toBe(await direct.text())
  })

  it('finds its connection by a header, too', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const answered = await send('/llm/anthropic/v1/messages', {
      headers: { ...JSON_TYPE, 'x-touchstone-token': token },
      body: JSON.stringify(MESSAGE),
    })
    expect(answered.status).toBe(200)
    expect(JSON.stringify(provider.requests[0]?.headers)).not.toContain(token)
  })

  it('gets the errors of the provider as they are', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    provider.plan({ status: 529, message: 'Overloaded', headers: { 'retry-after': '7' } })
    const answered = await ask(token)
    expect(answered).toMatchObject({ status: 529, headers: { 'retry-after': '7' } })
    expect(JSON.parse(answered.text)).toMatchObject({ error: { message: 'Overloaded' } })
  })
})

describe('a token', () => {
  const errorOf = (text: string) => JSON.parse(text).error

  it.each([
    ['missing', ''],
    ['malformed', 'tgw_0123'],
    ['unknown', 'tgw_0123456789ABCDEFGHIJKLMNOPQRSTUV3fo7jf'],
  ])('that is %s is refused in the shape of the provider', async (_, token) => {
    const path = `/llm/${token === '' ? '' : `${token}/`}anthropic/v1/messages`
    const answered = await send(path, { headers: JSON_TYPE, body: '{}' })
    expect(answered.status).toBe(401)
    expect(JSON.parse(answered.text).type).toBe('error')
    expect(errorOf(answered.text).type).toBe('authentication_error')
    if (token !== '') expect(answered.text).not.toContain(token)
  })

  it('stops working when it is revoked', async () => {
    const { token, connection_id } = await connect({ provider: 'anthropic' })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    expect((await ask(token)).status).toBe(200)
    await t.call('DELETE', `/v1/agents/clerk/connections/${connection_id}`, { token: owner })
    await expect.poll(async () => (await ask(token)).status).toBe(401)
  })

  it('works after its rotation until the grace ends', async () => {
    const { token, connection_id } = await connect({ provider: 'anthropic' })
    const path = `/v1/agents/clerk/connections/${connection_id}/rotate`
    const { body } = await t.call('POST', path, { token: owner, body: { grace_hours: 1 } })
    expect((await ask(token)).status).toBe(200)
    expect((await ask(body.token)).status).toBe(200)
    t.clock.advance(60 * 60 * 1000)
    expect((await ask(token)).status).toBe(401)
    expect((await ask(body.token)).status).toBe(200)
    owner = await t.ownerToken()
  })

  it('is for one provider', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    const answered = await send(`/llm/${token}/openai/v1/chat/completions`, { body: '{}' })
    expect(answered.status).toBe(404)
    expect(errorOf(answered.text).message).toContain('another provider')
    expect((await send(`/llm/${token}/mistral/v1/x`)).status).toBe(404)
  })

  it('notes when it was last used', async () => {
    const { token, connection_id } = await connect({ provider: 'anthropic' })
    await ask(token)
    const path = `/v1/agents/clerk/connections/${connection_id}`
    await expect
      .poll(async () => (await t.call('GET', path, { token: owner })).body.last_used_at)
      .toBe(t.clock.now().toISOString())
  })
})

describe('a sealed credential', () => {
  const sealed = 'sealed-key-1'

  it('takes the place of everything the client sends', async () => {
    const { token } = await connect({ provider: 'gemini', credential: { sealed } })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const path = `/llm/${token}/gemini/v1beta/models/m:generateContent?key=own&alt=json`
    const answered = await send(path, {
      headers: { ...JSON_TYPE, 'x-goog-api-key': 'own', authorization: 'Bearer own' },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
    })
    expect(answered.status).toBe(200)
    const [received] = provider.requests
    expect(received?.headers['x-goog-api-key']).toBe(sealed)
    expect(received?.headers.authorization).toBeUndefined()
    expect(received?.url).toBe('/v1beta/models/m:generateContent?alt=json')
  })

  it.each([
    ['anthropic', 'GET', 'v1/messages/batches'],
    ['openai', 'GET', 'v1/responses/resp_1'],
    ['openai', 'GET', 'v1/chat/completions/c1'],
    ['openai', 'GET', 'v1/realtime'],
    ['openai', 'GET', 'v1/files/f1/content'],
    ['openai', 'POST', 'v1/batches'],
    ['openai', 'POST', 'v1/threads/t1/runs'],
    ['gemini', 'POST', 'v1beta/models/m:batchGenerateContent'],
  ])('refuses %s %s %s, which could carry calls', async (name, method, path) => {
    const { token } = await connect({ provider: name, credential: { sealed } })
    const answered = await send(`/llm/${token}/${name}/${path}`, { method })
    expect(answered.status).toBe(403)
    expect(JSON.parse(answered.text).error).toBeDefined()
  })

  it('passes routes that cannot carry calls', async () => {
    const { token } = await connect({ provider: 'openai', credential: { sealed } })
    const answered = await send(`/llm/${token}/openai/v1/models?limit=2`, { method: 'GET' })
    expect(answered.status).toBe(200)
    const received = JSON.parse(answered.text)
    expect(received).toMatchObject({ method: 'GET', path: '/v1/models?limit=2' })
    expect(received.headers.authorization).toBe(`Bearer ${sealed}`)
  })
})

describe('a path', () => {
  it.each([
    'v1/%6dessages',
    'v1/%256dessages',
    'v1//messages',
    'v1/./messages',
    'v1/x/../messages',
    'v1/%2e%2e/v1/messages',
    'v1/x/%2e./messages',
    'v1%2fmessages',
    'v1/messages/',
    'V1/Messages',
    'v1/messages;a=b',
    '/v1/messages',
    'v1\\messages',
    'v1/messages%00',
    'v1/%zz',
  ])('in the form %s is refused', async (path) => {
    const { token } = await connect({ provider: 'anthropic' })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const answered = await send(`/llm/${token}/anthropic/${path}`, { body: '{}' })
    expect(answered.status).toBe(400)
    expect(provider.requests).toEqual([])
  })

  it('that nobody reads is passed through with its body', async () => {
    const { token } = await connect({ provider: 'openai' })
    const answered = await send(`/llm/${token}/openai/v1/files?purpose=x`, {
      headers: { 'content-type': 'application/octet-stream', authorization: 'Bearer own' },
      body: Buffer.alloc(3_000_000, 1),
    })
    expect(JSON.parse(answered.text)).toMatchObject({
      path: '/v1/files?purpose=x',
      bytes: 3_000_000,
      headers: { authorization: 'Bearer own' },
    })
  })
})

describe('a page of a provider', () => {
  it('is inert in a browser: the address is that of the dashboard', async () => {
    const { token } = await connect({ provider: 'openai' })
    const headers = {
      'content-type': 'text/html',
      'set-cookie': 'touchstone=x; path=/',
      'content-security-policy': "script-src 'unsafe-inline'",
      'clear-site-data': '"storage"',
    }
    const bytes = '<script>alert(sessionStorage.getItem("touchstone"))</script>'
    provider.plan({ status: 404, headers, bytes })
    const governed = await send(`/llm/${token}/openai/v1/chat/completions`)
    expect(governed.text).toBe(bytes)
    const unread = await send(`/llm/${token}/openai/docs`, { method: 'GET' })
    for (const answered of [governed, unread]) {
      expect(answered.headers).toMatchObject({
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
      expect(answered.headers).not.toHaveProperty('set-cookie')
      expect(answered.headers).not.toHaveProperty('clear-site-data')
    }
  })
})

describe('a bad provider', () => {
  let token: string

  beforeAll(async () => {
    token = (await connect({ provider: 'anthropic' })).token
  })

  it.each([
    ['closes the connection', { close: true as const }, 502],
    ['compresses although identity was asked', { parts: [{ text: 'a' }], gzip: true }, 502],
  ])('that %s gives an error in its shape', async (_, answer, status) => {
    provider.plan(answer)
    const answered = await ask(token)
    expect(answered.status).toBe(status)
    expect(JSON.parse(answered.text).type).toBe('error')
  })

  it.each([true, false])(
    'that sends what nobody can judge is stopped, stream %s',
    async (stream) => {
      const deep = `${'['.repeat(600)}${']'.repeat(600)}`
      const call = `{"content":[{"type":"tool_use","id":"a","name":"drop","input":{"a":${deep}}}]}`
      for (const bytes of ['<html>Bad gateway</html>', call, '\n\x08drop']) {
        for (const type of ['text/html', 'application/json', 'application/x-protobuf']) {
          provider.plan({ status: 200, headers: { 'content-type': type }, bytes })
          const answered = await ask(token, { ...MESSAGE, stream })
          expect(answered.text).not.toContain(bytes)
          expect(answered.text).toContain('cannot be read')
        }
      }
    },
  )

  it('that sends what nobody can judge is passed on where the connection says so', async () => {
    const bytes = '<html>Bad gateway</html>'
    for (const body of [{ mode: 'observe' }, { on_error: 'fail_open' }]) {
      const lenient = await connect({ provider: 'anthropic', ...body })
      for (const stream of [true, false]) {
        provider.plan({ status: 200, headers: { 'content-type': 'text/html' }, bytes })
        const answered = await ask(lenient.token, { ...MESSAGE, stream })
        expect(answered).toMatchObject({ status: 200, text: bytes })
      }
    }
  })

  it('that redirects is not followed', async () => {
    provider.plan({ status: 307, headers: { location: 'http://127.0.0.1:1/' }, bytes: '' })
    expect((await ask(token)).status).toBe(307)
  })

  it.each(['close', 'half_event', 'end'] as const)(
    'whose stream ends with %s never leaves half an event',
    async (failure) => {
      provider.plan({ parts: [{ text: 'A long text.' }], pauseMs: 20, failsAfter: 4, failure })
      const answered = await ask(token, { ...MESSAGE, stream: true })
      expect(answered.status).toBe(200)
      expect(answered.text.endsWith('\n\n')).toBe(true)
      const events = answered.text.trim().split('\n\n')
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1] ?? ''
        expect(() => JSON.parse(data)).not.toThrow()
      }
    },
  )

  it('that cannot be reached gives 502, and one that is no longer listed 403', async () => {
    const gone = await startPlannedProvider()
    const other = await testApp({
      env: { MODEL_GATEWAY_UPSTREAMS: JSON.stringify({ anthropic: gone.url }) },
      databaseUrl: t.databaseUrl,
    })
    const address = await other.app.server.listen({ host: '127.0.0.1', port: 0 })
    await gone.close()
    const answered = await fetch(`${address}/llm/${token}/anthropic/v1/messages`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(MESSAGE),
    })
    expect(answered.status).toBe(502)
    const listed = await connect({ provider: 'openai_compatible', upstream_url: provider.url })
    const path = `/llm/${listed.token}/openai_compatible/v1/chat/completions`
    const refused = await fetch(`${address}${path}`, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(403)
  })
})

describe('a bad request', () => {
  it('is refused above 32 MB, in the shape of the provider', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    const headers = { ...JSON_TYPE, 'content-length': String(32 * 1024 * 1024 + 1) }
    const { hostname, port } = new URL(service)
    const path = `/llm/${token}/anthropic/v1/messages`
    const req = request({ hostname, port, path, method: 'POST', headers, agent: false })
    req.on('error', () => undefined)
    req.flushHeaders()
    const [res] = await once(req, 'response')
    expect(res.statusCode).toBe(413)
    res.resume()
    req.destroy()
  })

  it('with an encoded body is refused', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    expect((await ask(token, MESSAGE, { 'content-encoding': 'gzip' })).status).toBe(415)
  })

  it('that is no JSON is for the provider to refuse', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    provider.plan({ status: 400, message: 'Not JSON' })
    const answered = await send(`/llm/${token}/anthropic/v1/messages`, { body: 'nonsense' })
    expect(answered.status).toBe(400)
    expect(provider.requests[0]?.raw.toString()).toBe('nonsense')
  })
})

describe('a client that leaves', () => {
  it('ends the request to the provider', async () => {
    const { token } = await connect({ provider: 'anthropic' })
    provider.plan({ parts: [{ text: 'A long answer.' }], failsAfter: 2, failure: 'hang' })
    const leaving = new AbortController()
    const answered = await fetch(`${service}/llm/${token}/anthropic/v1/messages`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ ...MESSAGE, stream: true }),
      signal: leaving.signal,
    })
    await answered.body?.getReader().read()
    leaving.abort()
    expect(await provider.requests[0]?.completed).toBe(false)
  })
})

describe('a process with the role gateway', () => {
  it('relays and serves nothing else; revocations of other processes reach it', async () => {
    const { token, connection_id } = await connect({ provider: 'anthropic' })
    const near = await testApp({
      role: 'gateway',
      databaseUrl: t.databaseUrl,
      env: { MODEL_GATEWAY_UPSTREAMS: JSON.stringify({ anthropic: provider.url }) },
    })
    const address = await near.app.server.listen({ host: '127.0.0.1', port: 0 })
    onFileFinished(() => near.app.server.server.closeAllConnections())
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const send = async () =>
      (
        await fetch(`${address}/llm/${token}/anthropic/v1/messages`, {
          method: 'POST',
          headers: JSON_TYPE,
          body: JSON.stringify(MESSAGE),
        })
      ).status
    expect(await send()).toBe(200)
    expect((await fetch(`${address}/health/ready`)).status).toBe(200)
    for (const path of ['/v1/agents', '/openapi.json', '/']) {
      expect((await fetch(address + path)).status, path).toBe(404)
    }
    await t.call('DELETE', `/v1/agents/clerk/connections/${connection_id}`, { token: owner })
    await expect.poll(send).toBe(401)
  })
})

describe('rate limits', () => {
  it('are those of the plan for a connection, and of the address for unknown tokens', async () => {
    const limited = await testApp({
      databaseUrl: t.databaseUrl,
      env: {
        RATE_LIMITS: 'on',
        CONNECTIONS_PER_ADDRESS: '0',
        MODEL_GATEWAY_UPSTREAMS: JSON.stringify({ anthropic: provider.url }),
      },
    })
    const address = await limited.app.server.listen({ host: '127.0.0.1', port: 0 })
    onFileFinished(() => limited.app.server.server.closeAllConnections())
    const { token } = await connect({ provider: 'anthropic' })
    await t.call('PUT', `/v1/admin/orgs/${t.first.org_id}/plan`, {
      token: owner,
      body: { plan_id: 'plan-free' },
    })
    const { requestsPerSecond } = await planOf()
    const ask = async (path: string) => {
      const answer = await fetch(`${address}/llm/${path}`, { headers: JSON_TYPE })
      await answer.text()
      return answer
    }
    const known = await Promise.all(
      Array.from({ length: requestsPerSecond + 1 }, () => ask(`${token}/anthropic/v1/models`)),
    )
    const refused = known.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    const strangers = await Promise.all(
      Array.from({ length: 31 }, () => ask('tgw_unknown/anthropic/v1/models')),
    )
    expect(strangers.filter(({ status }) => status === 401)).toHaveLength(30)
    expect(strangers.filter(({ status }) => status === 429)).toHaveLength(1)
  })

  async function planOf() {
    const path = `/v1/orgs/${t.first.org_id}/plan`
    const { body } = await t.call('GET', path, { token: owner })
    return { requestsPerSecond: body.limits.requests_per_second as number }
  }
})
