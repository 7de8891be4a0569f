import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { resolveSchema, type Schema } from '#harness/openapi.ts'

let t: TestApp
let owner: string
let org: string

beforeAll(async () => {
  t = await testApp({ env: { CORS_ORIGINS: 'https://dash.example' } })
  owner = await t.ownerToken()
  org = t.first.org_id
})

const post = (body: unknown, headers: Record<string, string> = {}) =>
  t.call('POST', '/v1/orgs', { token: owner, body, headers })

type Documented = {
  requestBody?: { content: Record<string, { schema: Schema }> }
}

describe('a resource named in the path', () => {
  it('is looked up before the body is validated', async () => {
    const agent = { token: owner, body: { agent_id: 'named-in-paths', org_id: org } }
    expect((await t.call('POST', '/v1/agents', agent)).status).toBe(201)
    const document = t.app.openapi() as { paths: Record<string, Record<string, Documented>> }
    const asked = Object.entries(document.paths).flatMap(([path, operations]) => {
      const url = path.replace('{org_id}', org).replace('{agent_id}', 'named-in-paths')
      if (!url.includes('{') || url.includes('{team_id}')) return []
      return Object.entries(operations).flatMap(([method, { requestBody }]) => {
        const schema = resolveSchema(document, requestBody?.content['application/json']?.schema)
        const { properties = {} } = schema as { properties?: object }
        const body = Object.fromEntries(Object.keys(properties).map((name) => [name, {}]))
        const named = { method: method.toUpperCase(), url: url.replace(/\{\w+\}/, 'nothing') }
        return requestBody === undefined ? [] : [{ ...named, body }]
      })
    })
    expect(asked.length).toBeGreaterThan(8)
    for (const { method, url, body } of asked) {
      const { status } = await t.call(method, url, { token: owner, body })
      expect([method, url, status]).toEqual([method, url, 404])
    }
  })
})

describe('a request', () => {
  it.each([
    ['malformed JSON', '{"name":'],
    ['a duplicate key', '{"name":"Acme","name":"Acme","slug":"dup"}'],
    ['a NUL character', '{"name":"Ac\\u0000me","slug":"nul"}'],
    ['nesting deeper than 32', `{"name":${'['.repeat(33)}${']'.repeat(33)}}`],
    ['a body that is not an object', '[]'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('with %s is refused with 400', async (_what, body) => {
    const answer = await post(body, { 'content-type': 'application/json' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe('invalid_request')
  })

  it('with a body over 1 MiB is refused with 413, even if it only exceeds the limit when decompressed', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024), slug: 'large' })
    const json = { 'content-type': 'application/json' }
    expect(await post(large, json)).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    })
    const packed = gzipSync(large)
    const zipped = await post(packed, { ...json, 'content-encoding': 'gzip' })
    expect(zipped.status).toBe(413)
  })

  it('may use gzip, and JSON without a content type', async () => {
    const body = gzipSync(JSON.stringify({ name: 'Zipped', slug: 'zipped' }))
    const json = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect((await post(body, json)).status).toBe(201)
    const bare = await t.app.server.inject({
      method: 'POST',
      url: '/v1/orgs',
      headers: { authorization: `Bearer ${owner}` },
      payload: Buffer.from(JSON.stringify({ name: 'Bare', slug: 'bare' })),
    })
    expect(bare.statusCode).toBe(201)
  })

  it('with invalid gzip is reported only to callers with permission', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect(await post('junk', headers)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', message: 'The body is not valid gzip.' },
    })
    const unknown = await t.call('POST', '/v1/orgs', { headers, body: 'junk' })
    expect(unknown.status).toBe(401)
    const elsewhere = { token: owner, headers, body: 'junk' }
    expect((await t.call('PUT', '/v1/agents/nobody/policy', elsewhere)).status).toBe(404)
  })

  it('in another media type or encoding is refused with 415', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'text/yaml' },
      { 'content-type': 'application/json', 'content-encoding': 'br' },
    ]) {
      const answer = await post('name: Acme', headers)
      expect(answer).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } })
    }
  })

  it('may contain unknown fields, which are ignored', async () => {
    const answer = await post({ name: 'Extra', slug: 'extra', surprise: { deep: [1] } })
    expect(answer.status).toBe(201)
  })

  it('with a NUL in its URL is refused', async () => {
    const answer = await t.call('GET', '/v1/orgs/a%00b', { token: owner })
    expect(answer.status).toBe(400)
  })
})

describe('a timestamp', () => {
  const audit = (from: string) =>
    t.call('GET', `/v1/orgs/${org}/audit-log?from=${encodeURIComponent(from)}`, { token: owner })

  it.each([
    '2026-11-15T22:00Z',
    '2026-11-15T22:00:00,5Z',
    '2026-11-15T22:00:00+0100',
    '2026-11-15T22:00:00+01',
    '20261115T220000Z',
  ])('may be written as %s', async (text) => {
    expect((await audit(text)).status).toBe(200)
  })

  it.each([
    '2026-11-15T22:00:00',
    '20261115T220000',
    '2026-11-15',
    '2026-02-30T00:00:00Z',
    '1763244000',
  ])('is refused when written as %s', async (text) => {
    expect((await audit(text)).status).toBe(400)
  })

  it('is the same instant in every notation', async () => {
    const created = await t.call('POST', `/v1/orgs/${org}/api-keys`, {
      token: owner,
      body: { name: 'Timed' },
    })
    expect(created.status).toBe(201)
    const newest = (await audit('2020-01-01T00:00Z')).body.entries[0].created_at as string
    const basic = (at: Date) => at.toISOString().replaceAll(/[-:]/g, '')
    const count = async (ms: number) =>
      (await audit(basic(new Date(Date.parse(newest) + ms)))).body.entries.length
    expect(await count(0)).toBeGreaterThan(0)
    expect(await count(1)).toBe(0)
  })
})

describe('the order of checks', () => {
  it('is size and media type, then credential, then organisation, then role, then body', async () => {
    const large = 'x'.repeat(1024 * 1024 + 1)
    const anonymous = (headers: Record<string, string>, body: string) =>
      t.call('POST', '/v1/orgs', { body, headers })
    expect((await anonymous({ 'content-type': 'application/json' }, large)).status).toBe(413)
    expect((await anonymous({ 'content-type': 'text/plain' }, 'x')).status).toBe(415)
    expect((await anonymous({ 'content-type': 'application/json' }, '{')).status).toBe(401)

    const stranger = await t.newUser('order-stranger@example.com')
    const member = await t.newUser('order-member@example.com', { orgId: org, role: 'member' })
    const patch = (token: string, body: string) =>
      t.call('PATCH', `/v1/orgs/${org}`, {
        token,
        body,
        headers: { 'content-type': 'application/json' },
      })
    expect((await patch(stranger.token, '{')).status).toBe(404)
    expect((await patch(member.token, '{')).status).toBe(403)
    expect((await patch(owner, '{')).status).toBe(400)
    const plan = (id: string) =>
      t.call('PUT', `/v1/admin/orgs/${id}/plan`, {
        token: owner,
        body: '{',
        headers: { 'content-type': 'application/json' },
      })
    expect((await plan('org-unknown')).status).toBe(404)
    expect((await plan(org)).status).toBe(400)
  })
})

describe('responses', () => {
  it('say that a path is unknown or which methods it allows, with a text as error', async () => {
    const missing = await t.call('GET', '/v1/nothing-here')
    expect(missing).toMatchObject({ status: 404, body: { error: expect.any(String) } })
    expect(missing.body).not.toHaveProperty('message')
    const wrong = await t.call('PUT', '/v1/orgs')
    expect(wrong.status).toBe(405)
    expect(wrong.headers['allow']).toBe('GET, HEAD, POST')
  })

  it('are 404 for a path that differs in case or by a trailing slash', async () => {
    expect((await t.call('GET', '/v1/plans/')).status).toBe(404)
    expect((await t.call('GET', '/V1/plans')).status).toBe(404)
  })

  it('to HEAD equal those to GET without a body', async () => {
    const got = await t.call('GET', `/v1/orgs/${org}`, { token: owner })
    const head = await t.call('HEAD', `/v1/orgs/${org}`, { token: owner })
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(head.headers['etag']).toBe(got.headers['etag'])
  })

  it('all carry the request id and nosniff', async () => {
    for (const url of ['/health/live', '/openapi.json', '/docs', '/nowhere', '/v1/plans']) {
      const answer = await t.call('GET', url)
      expect(answer.headers['x-request-id'], url).toMatch(/^req-/)
      expect(answer.headers['x-content-type-options'], url).toBe('nosniff')
    }
  })

  it('are unaffected if they cannot be stored for an Idempotency-Key', async () => {
    const db = t.app.kernel.db
    await sql`alter table idempotency_record add constraint full_up check (status is null)`.execute(
      db,
    )
    const answer = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Kept', slug: 'kept' },
      headers: { 'idempotency-key': 'k-unkept' },
    })
    await sql`alter table idempotency_record drop constraint full_up`.execute(db)
    expect(answer.status).toBe(201)
  })

  it('keep a valid request id and replace an invalid one', async () => {
    const good = await t.call('GET', '/v1/plans', { headers: { 'x-request-id': 'abc.DEF_1-2' } })
    expect(good.headers['x-request-id']).toBe('abc.DEF_1-2')
    const bad = await t.call('GET', '/v1/plans', { headers: { 'x-request-id': 'a b' } })
    expect(bad.headers['x-request-id']).toMatch(/^req-[0-9a-f-]{36}$/)
    const missing = await t.call('GET', '/v1/nothing-here')
    expect(missing.headers['x-request-id']).toMatch(/^req-/)
  })

  it('carry the security headers and are not stored', async () => {
    const answer = await t.call('GET', `/v1/orgs/${org}`, { token: owner })
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['strict-transport-security']).toBeUndefined()
  })

  it('have an ETag of the body, and are 304 if it still matches', async () => {
    const first = await t.call('GET', `/v1/orgs/${org}`, { token: owner })
    const etag = String(first.headers['etag'])
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    const again = await t.call('GET', `/v1/orgs/${org}`, {
      token: owner,
      headers: { 'if-none-match': `"other", W/${etag}` },
    })
    expect(again).toMatchObject({ status: 304, text: '' })
  })

  it('of HEAD are 304, too', async () => {
    const { headers } = await t.call('HEAD', '/v1/keys')
    const again = await t.call('HEAD', '/v1/keys', {
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers).not.toHaveProperty('content-length')
  })

  it('allow every origin to read public ones and only configured origins to read the rest', async () => {
    const from = (url: string, origin: string, token?: string) =>
      t.call('GET', url, { token, headers: { origin } })
    const open = await from('/v1/plans', 'https://anywhere.example')
    expect(open.headers['access-control-allow-origin']).toBe('*')
    expect(open.headers['access-control-expose-headers']).toContain('RateLimit-Remaining')
    const named = await from(`/v1/orgs/${org}`, 'https://dash.example', owner)
    expect(named.headers['access-control-allow-origin']).toBe('https://dash.example')
    expect(named.headers['access-control-allow-credentials']).toBeUndefined()
    const other = await from(`/v1/orgs/${org}`, 'https://evil.example', owner)
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('to a preflight follow the same rule', async () => {
    const preflight = (origin: string, url: string, method: string) =>
      t.call('OPTIONS', url, { headers: { origin, 'access-control-request-method': method } })
    const named = await preflight('https://dash.example', '/v1/orgs', 'POST')
    expect(named.status).toBe(204)
    expect(named.headers['access-control-allow-origin']).toBe('https://dash.example')
    const evil = await preflight('https://evil.example', '/v1/orgs', 'POST')
    expect(evil.headers['access-control-allow-origin']).toBeUndefined()
    const open = await preflight('https://evil.example', '/v1/plans', 'GET')
    expect(open.headers['access-control-allow-origin']).toBe('*')
  })
})

describe('Idempotency-Key', () => {
  const withKey = (key: string, body: unknown) => post(body, { 'idempotency-key': key })

  it('replays the first response instead of repeating the work', async () => {
    const body = { name: 'Once', slug: 'once' }
    const first = await withKey('k-1', body)
    const second = await withKey('k-1', body)
    expect(first.status).toBe(201)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(second.status).toBe(201)
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body).toEqual(first.body)
  })

  it('replays error responses too', async () => {
    const body = { name: 'x', slug: 'too-short' }
    expect((await withKey('k-2', body)).status).toBe(400)
    const again = await withKey('k-2', body)
    expect(again.status).toBe(400)
    expect(again.headers['idempotency-replayed']).toBe('true')
  })

  it('with a different body is refused with 422', async () => {
    await withKey('k-3', { name: 'Three', slug: 'three' })
    const other = await withKey('k-3', { name: 'Three', slug: 'three-b' })
    expect(other).toMatchObject({ status: 422, body: { error: 'idempotency_mismatch' } })
  })

  it('runs the work once for many concurrent requests', async () => {
    const body = { name: 'Crowd', slug: 'crowd' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => withKey('k-4', body)))
    const done = answers.filter((a) => a.status === 201)
    const fresh = done.filter((a) => a.headers['idempotency-replayed'] === undefined)
    expect(fresh).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 201) continue
      expect(answer).toMatchObject({ status: 409, body: { error: 'idempotency_in_progress' } })
    }
  })

  it('shows a secret only in the first response', async () => {
    const create = () =>
      t.call('POST', `/v1/orgs/${org}/api-keys`, {
        token: owner,
        body: { name: 'Replayed' },
        headers: { 'idempotency-key': 'k-5' },
      })
    const first = await create()
    const second = await create()
    expect(first.body.key).toMatch(/^tsk_/)
    expect(second.body).toEqual({ ...first.body, key: null })
  })

  it('applies to a resource, however its URL is spelled', async () => {
    const create = (orgId: string) =>
      t.call('POST', `/v1/orgs/${orgId}/api-keys`, {
        token: owner,
        body: { name: 'Spelt' },
        headers: { 'idempotency-key': 'k-7' },
      })
    const first = await create(org)
    const second = await create(org.replaceAll('-', '%2D'))
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body.key_id).toBe(first.body.key_id)
  })

  it('is separate for each organisation and user', async () => {
    const other = await t.newUser('idempotent@example.com')
    const answer = await t.call('POST', '/v1/orgs', {
      token: other.token,
      body: { name: 'Once', slug: 'once-more' },
      headers: { 'idempotency-key': 'k-1' },
    })
    expect(answer.status).toBe(201)
    expect(answer.headers['idempotency-replayed']).toBeUndefined()
  })

  it('of a person is separate for each organisation named in X-Org-Id', async () => {
    const { token } = await t.newUser('idempotent-twice@example.com')
    const orgs = await Promise.all(
      ['one', 'two'].map(async (slug) => {
        const body = { name: slug, slug: `idempotent-${slug}` }
        return (await t.call('POST', '/v1/orgs', { token, body })).body.org_id
      }),
    )
    for (const orgId of orgs) {
      const headers = { 'idempotency-key': 'k-twice', 'x-org-id': orgId }
      const created = await t.call('POST', '/v1/api-keys', { token, headers, body: { name: 'ci' } })
      expect(created).toMatchObject({ status: 201, body: { org_id: orgId } })
      expect(created.headers['idempotency-replayed']).toBeUndefined()
    }
  })

  it('expires after 24 hours', async () => {
    const body = { name: 'Day', slug: 'day' }
    await withKey('k-6', body)
    t.clock.advance(24 * 3_600_000 + 1)
    owner = await t.ownerToken()
    expect((await withKey('k-6', body)).status).toBe(409)
  })

  it('must be printable ASCII of 1 to 255 characters', async () => {
    expect((await withKey('k'.repeat(256), { name: 'Key', slug: 'key' })).status).toBe(400)
  })
})
