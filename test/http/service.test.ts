import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { freshDatabaseUrl } from '#harness/database.ts'
import { startTcpProxy } from '#harness/tcp-proxy.ts'
import { createDatabaseClock } from '../../packages/server/src/database/clock.ts'

let t: TestApp

beforeAll(async () => {
  t = await testApp({ env: { BASE_URL: 'https://touchstone.example' } })
})

describe('the service itself', () => {
  it('reports liveness, startup and readiness', async () => {
    const ok = { status: 200, body: { status: 'ok' } }
    expect(await t.call('GET', '/health/live')).toMatchObject(ok)
    expect(await t.call('GET', '/health/startup')).toMatchObject(ok)
    expect(await t.call('GET', '/health/writable')).toMatchObject(ok)
    expect((await t.call('GET', '/health/ready')).body).toEqual({
      status: 'ready',
      reason: null,
      checks: {
        database: { status: 'ok' },
        notices: { status: 'ok' },
        queue: { status: 'ok' },
        chain: { status: 'ok' },
        log: {
          status: 'ok',
          size: 0,
          pending: expect.any(Number),
          published_size: null,
          last_checkpoint_at: null,
          fault: null,
          witnesses: [],
        },
      },
      decision_durability: 'before_answer',
    })
  })

  it('describes every route in OpenAPI 3.1, with security, statuses and limits', async () => {
    const { body } = await t.call('GET', '/openapi.json')
    expect(body.openapi).toMatch(/^3\.1/)
    const operation = body.paths['/v1/orgs/{org_id}'].get
    expect(operation.security).toEqual([{ apiKey: [] }, { session: [] }])
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '401', '403', '404', '429', '500', '503']),
    )
    expect(operation['x-rate-limit-per-minute']).toBe(60)
  })

  it('documents the headers it accepts and the responses that routes share', async () => {
    const { paths } = (await t.call('GET', '/openapi.json')).body
    const headersOf = (operation: { parameters?: { in: string; name: string }[] }) =>
      (operation.parameters ?? []).filter((p) => p.in === 'header').map((p) => p.name)
    const card = paths['/v1/agents/{agent_id}/card']
    expect(headersOf(card.get)).toEqual(['If-None-Match'])
    expect(card.get.responses['304']).not.toHaveProperty('content')
    expect(Object.keys(card.get.responses['200'].content)).toEqual([
      'application/json',
      'application/yaml',
    ])
    expect(headersOf(card.put)).toEqual(['If-Match'])
    expect(Object.keys(card.put.requestBody.content)).toContain('application/yaml')
    expect(headersOf(paths['/v1/agents'].post)).toEqual(['Idempotency-Key', 'X-Org-Id'])
    expect(headersOf(paths['/v1/agents'].get)).toEqual(['If-None-Match', 'X-Org-Id'])
    expect(headersOf(paths['/v1/orgs/{org_id}/agents'].get)).toEqual(['If-None-Match'])
    const { responses } = paths['/v1/agents/{agent_id}'].delete
    expect(responses['204']).not.toHaveProperty('content')
    expect(responses).not.toHaveProperty('200')
  })

  it('serves the documentation without loading anything from other hosts', async () => {
    const page = await t.call('GET', '/docs/reference')
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.text).not.toMatch(/https?:\/\//)
    for (const [, src] of page.text.matchAll(/src="([^"]+)"/g)) {
      const script = await t.call('GET', src ?? '')
      expect(script.status).toBe(200)
      expect(script.headers['content-type']).toContain('javascript')
    }
  })

  it('sends HSTS if it is reached over HTTPS', async () => {
    const answer = await t.call('GET', '/v1/plans')
    expect(answer.headers['strict-transport-security']).toContain('max-age=')
  })

  it('answers 503 with Retry-After until it has started', async () => {
    const early = await testApp({ databaseUrl: t.databaseUrl, start: false })
    expect((await early.call('GET', '/health/live')).status).toBe(200)
    const startup = await early.call('GET', '/health/startup')
    expect(startup).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    const api = await early.call('GET', '/v1/orgs')
    expect(api).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    expect(api.headers['retry-after']).toBe('5')
  })

  it('answers 503, not 500, while the database is unreachable, and recovers by itself', async () => {
    const proxy = await startTcpProxy(await freshDatabaseUrl())
    const away = await testApp({ databaseUrl: proxy.url })
    const token = await away.ownerToken()
    const list = () => away.call('GET', '/v1/orgs', { token })
    expect((await list()).status).toBe(200)
    proxy.disconnect()
    expect(await list()).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    const ready = await away.call('GET', '/health/ready')
    expect(ready.status).toBe(503)
    expect(ready.body.checks.database).toEqual({ status: 'down' })
    proxy.reconnect()
    await expect.poll(async () => (await list()).status).toBe(200)
    expect((await away.call('GET', '/health/ready')).status).toBe(200)
  })

  it('answers writes with 503 and reads as usual while the database is read-only', async () => {
    const readOnly = await testApp({ databaseUrl: await freshDatabaseUrl() })
    const token = await readOnly.ownerToken()
    const admin = new pg.Client({ connectionString: readOnly.databaseUrl })
    await admin.connect()
    const name = new URL(readOnly.databaseUrl).pathname.slice(1)
    const setReadOnly = async (value: 'on' | 'off') => {
      await admin.query('begin read write')
      await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`)
      await admin.query('commit')
      // As a switch of the primary ends the sessions of the former one.
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
    }
    const write = (slug: string) =>
      readOnly.call('POST', '/v1/orgs', { token, body: { name: slug, slug } })
    await setReadOnly('on')
    await expect.poll(async () => (await write('refused')).status).toBe(503)
    const refused = await write('refused')
    expect(refused).toMatchObject({ body: { error: 'unavailable' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await readOnly.call('GET', '/v1/plans')).status).toBe(200)
    const ready = await readOnly.call('GET', '/health/ready')
    expect(ready.body).toMatchObject({
      status: 'degraded',
      reason: 'The database is read-only.',
      checks: { database: { status: 'degraded' } },
    })
    expect(ready.status).toBe(200)
    expect((await readOnly.call('GET', '/health/writable')).status).toBe(503)
    await setReadOnly('off')
    await expect.poll(async () => (await write('stored')).status).toBe(201)
    expect((await readOnly.call('GET', '/health/writable')).status).toBe(200)
    await admin.end()
  })

  it('answers 503, not 500, when the disk of the database is full', async () => {
    const full = await testApp({ databaseUrl: await freshDatabaseUrl() })
    const { db } = full.app.kernel
    await sql`create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db)
    await sql`create trigger full_disk before insert on agent
      execute function full_disk()`.execute(db)
    const answer = await full.call('POST', '/v1/agents', {
      token: full.first.api_key,
      body: { agent_id: 'too-many' },
    })
    expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    const writable = await full.call('GET', '/health/writable')
    expect(writable.body.message).toContain('disk')
    expect(writable.status).toBe(503)
    expect((await full.call('GET', '/health/ready')).body.status).toBe('degraded')
  })

  it('is not ready if its clock differs much from that of the database', async () => {
    const machine = { wallMs: () => Date.now() + 600_000, steadyMs: () => performance.now() }
    const databaseClock = createDatabaseClock(machine)
    const ahead = await testApp({ databaseUrl: t.databaseUrl, databaseClock })
    const ready = () => ahead.call('GET', '/health/ready')
    await expect.poll(async () => (await ready()).status).toBe(503)
    expect((await ready()).body.reason).toBe(
      'The clock of this machine is 600 s ahead of that of the database.',
    )
    expect(databaseClock.nowMs()).toBeLessThan(machine.wallMs() - 500_000)
  })

  it('rejects invalid credentials without querying the database', async () => {
    const proxy = await startTcpProxy(await freshDatabaseUrl())
    const away = await testApp({ databaseUrl: proxy.url })
    proxy.disconnect()
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const claims = Buffer.from('{"sub":"user-1","iss":"http://localhost:8787"}').toString(
      'base64url',
    )
    const read = (token: string) => away.call('GET', `/v1/orgs/${away.first.org_id}`, { token })
    for (const token of [
      'tsk_0123456789ABCDEFGHIJKLMNOPQRSTUV000000',
      `${none}.${claims}.`,
      `${none}.${claims}.AAAA`,
      'nonsense',
    ]) {
      expect((await read(token)).status, token).toBe(401)
    }
    const large = 'x'.repeat(1024 * 1024 + 1)
    const post = (body: string, type: string) =>
      away.call('POST', '/v1/orgs', { body, headers: { 'content-type': type } })
    expect((await post(large, 'application/json')).status).toBe(413)
    expect((await post('x', 'text/plain')).status).toBe(415)
    expect((await post('{}', 'application/json')).status).toBe(401)
    expect((await away.call('GET', '/v1/nowhere')).status).toBe(404)
    expect((await away.call('PUT', '/v1/orgs')).status).toBe(405)
    const login = await away.call('POST', '/v1/auth/login', { body: { email: 1 } })
    expect(login.status).toBe(400)
    proxy.reconnect()
  })
})
