import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const HOUR_MS = 60 * 60 * 1000
const OLLAMA = 'http://localhost:11434'

let t: TestApp
let owner: string

beforeAll(async () => {
  t = await testApp({
    env: { MODEL_GATEWAY_UPSTREAMS: JSON.stringify({ openai_compatible: [OLLAMA] }) },
  })
  owner = await t.ownerToken()
  for (const agent_id of ['clerk', 'porter', 'leaver']) {
    await t.call('POST', '/v1/agents', { token: t.first.api_key, body: { agent_id } })
  }
})

const pathOf = (agentId: string, rest = '') => `/v1/agents/${agentId}/connections${rest}`
const create = (body: unknown, { agent = 'clerk', token = owner } = {}) =>
  t.call('POST', pathOf(agent), { token, body })
const auditOf = async (action: string) =>
  (await t.call('GET', `/v1/orgs/${t.first.org_id}/audit-log?action=${action}`, { token: owner }))
    .body.entries

describe('a connection', () => {
  it('is created with defaults; its token and environment are shown once', async () => {
    const made = await create({ provider: 'anthropic' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        agent_id: 'clerk',
        name: 'Default',
        provider: 'anthropic',
        upstream_url: null,
        credential: 'pass_through',
        on_contained: 'refuse',
        on_error: 'fail_closed',
        mode: 'enforce',
        last_used_at: null,
      },
    })
    const { connection_id, token, base_url, environment } = made.body
    expect(token).toMatch(/^tgw_[0-9A-Za-z]{38}$/)
    expect(base_url).toBe(`${t.config.baseUrl}/llm/${token}/anthropic`)
    expect(environment).toEqual({ ANTHROPIC_BASE_URL: base_url })
    const one = await t.call('GET', pathOf('clerk', `/${connection_id}`), { token: owner })
    expect(one.status).toBe(200)
    const list = await t.call('GET', pathOf('clerk'), { token: owner })
    expect(list.body.connections).toContainEqual(one.body)
    expect(one.text + list.text).not.toContain(token)
    expect(one.body.token_prefix).toBe(token.slice(0, 12))
  })

  it.each([
    ['openai', 'OPENAI_BASE_URL', '/v1'],
    ['gemini', 'GOOGLE_GEMINI_BASE_URL', ''],
  ])('of %s names the variable of its clients', async (provider, variable, path) => {
    const { base_url, environment } = (await create({ provider })).body
    expect(environment).toEqual({ [variable]: base_url + path })
  })

  it('seals a credential and never returns it', async () => {
    const sealed = 'sk-live-0123456789'
    const made = await create({ provider: 'openai', credential: { sealed } })
    expect(made.body).toMatchObject({ credential: 'sealed' })
    expect(made.body.environment.OPENAI_API_KEY).toBe('sealed-by-touchstone')
    const path = pathOf('clerk', `/${made.body.connection_id}`)
    const one = await t.call('GET', path, { token: owner })
    const rows = await sql`select * from model_connection`.execute(t.app.kernel.db)
    const log = await auditOf('model_connection.created')
    const seen = made.text + one.text + JSON.stringify(rows.rows) + JSON.stringify(log)
    expect(seen).not.toContain(sealed)
    expect(JSON.stringify(rows.rows) + JSON.stringify(log)).not.toContain(made.body.token)
  })

  it('reaches other servers only if the operator lists their origin', async () => {
    const provider = 'openai_compatible'
    const made = await create({ provider, upstream_url: `${OLLAMA}/` })
    expect(made.body).toMatchObject({ upstream_url: OLLAMA })
    expect(made.body.environment).toEqual({ OPENAI_BASE_URL: `${made.body.base_url}/v1` })
    const listed = await create({ provider, upstream_url: 'http://169.254.169.254' })
    expect(listed).toMatchObject({ status: 400, body: { error: 'url_not_allowed' } })
    expect(await create({ provider })).toMatchObject({ status: 400 })
    expect(await create({ provider: 'openai', upstream_url: OLLAMA })).toMatchObject({
      status: 400,
    })
  })

  it.each([
    {},
    { provider: 'mistral' },
    { provider: 'openai', credential: { sealed: '' } },
    { provider: 'openai', credential: { sealed: 'two words' } },
    { provider: 'openai', mode: 'off' },
    { provider: 'openai', name: '' },
    { provider: 'openai', on_error: 'shrug' },
  ])('cannot be created from %j', async (body) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('returns no secrets in an idempotent replay', async () => {
    const headers = { 'idempotency-key': 'connection-1' }
    const send = () =>
      t.call('POST', pathOf('clerk'), { token: owner, body: { provider: 'openai' }, headers })
    const first = await send()
    const again = await send()
    expect(again.body).toEqual({ ...first.body, token: null, base_url: null, environment: null })
  })

  it('can be changed, which the audit log shows', async () => {
    const { connection_id } = (await create({ provider: 'gemini' })).body
    const path = pathOf('clerk', `/${connection_id}`)
    const changes = { mode: 'observe', on_error: 'fail_open', on_contained: 'turn', name: 'CI' }
    const changed = await t.call('PATCH', path, { token: owner, body: changes })
    expect(changed).toMatchObject({ status: 200, body: changes })
    const log = await auditOf('model_connection.changed')
    expect(log[0]).toMatchObject({
      target: { type: 'model_connection', id: connection_id },
      changes: { mode: { from: 'enforce', to: 'observe' } },
    })
    expect(await t.call('PATCH', path, { token: owner, body: {} })).toMatchObject({ status: 400 })
    await t.call('PATCH', path, { token: owner, body: { name: 'CI' } })
    expect(await auditOf('model_connection.changed')).toHaveLength(log.length)
  })

  it('is limited to fifty per agent', async () => {
    for (let n = 0; n < 50; n += 1) await create({ provider: 'openai' }, { agent: 'porter' })
    expect(await create({ provider: 'openai' }, { agent: 'porter' })).toMatchObject({
      status: 409,
      body: { error: 'limit_reached' },
    })
  })
})

describe('access to connections', () => {
  it('needs a credential, and is for owners and admins', async () => {
    const path = pathOf('clerk')
    expect(await t.call('GET', path)).toMatchObject({ status: 401 })
    const member = await t.newUser('member@example.com', { orgId: t.first.org_id, role: 'member' })
    expect(await create({ provider: 'openai' }, { token: member.token })).toMatchObject({
      status: 403,
    })
    expect(await t.call('GET', path, { token: member.token })).toMatchObject({ status: 403 })
    expect(await create({ provider: 'openai' }, { token: t.first.api_key })).toMatchObject({
      status: 201,
    })
  })

  it('is not given to another organisation, nor through another agent', async () => {
    const { connection_id } = (await create({ provider: 'openai' })).body
    const token = await otherOrgKey(t)
    const missing = { status: 404, body: { error: 'agent_not_found' } }
    expect(await create({ provider: 'openai' }, { token })).toMatchObject(missing)
    expect(await create({ provider: 'openai' }, { agent: 'nobody' })).toMatchObject(missing)
    for (const [method, rest, body] of [
      ['GET', ''],
      ['PATCH', '', { mode: 'observe' }],
      ['DELETE', ''],
      ['POST', '/rotate', {}],
    ] as const) {
      const path = pathOf('porter', `/${connection_id}${rest}`)
      expect(await t.call(method, path, { token: owner, body })).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      })
    }
  })

  it('is refused to the token of a connection', async () => {
    const { token } = (await create({ provider: 'openai' })).body
    expect(await t.call('GET', pathOf('clerk'), { token })).toMatchObject({ status: 401 })
  })
})

describe('the end of a connection', () => {
  const countOf = async (connectionId: string) => {
    const found = await sql<{ rows: number }>`select count(*) as rows from model_connection
      where connection_id = ${connectionId} and revoked_at is null`.execute(t.app.kernel.db)
    return Number(found.rows[0]?.rows)
  }

  it('comes with its revocation, which discards the sealed credential', async () => {
    const body = { provider: 'openai', credential: { sealed: 'sk-2' } }
    const { connection_id } = (await create(body)).body
    const path = pathOf('clerk', `/${connection_id}`)
    expect(await t.call('DELETE', path, { token: owner })).toMatchObject({
      status: 200,
      body: { revoked: true, connection_id },
    })
    for (const method of ['GET', 'DELETE']) {
      expect(await t.call(method, path, { token: owner })).toMatchObject({ status: 404 })
    }
    const rows = await sql`select sealed_credential from model_connection
      where connection_id = ${connection_id}`.execute(t.app.kernel.db)
    expect(rows.rows).toEqual([{ sealed_credential: null }])
    expect((await auditOf('model_connection.revoked'))[0].target.id).toBe(connection_id)
  })

  it('comes when its agent is archived', async () => {
    const { connection_id } = (await create({ provider: 'openai' }, { agent: 'leaver' })).body
    await t.call('DELETE', '/v1/agents/leaver', { token: await t.ownerToken() })
    expect(await countOf(connection_id)).toBe(0)
    expect(await create({ provider: 'openai' }, { agent: 'leaver' })).toMatchObject({
      status: 409,
    })
  })

  it('gives a new token on rotation; the old one works until its grace ends', async () => {
    const made = (await create({ provider: 'openai' })).body
    const path = pathOf('clerk', `/${made.connection_id}/rotate`)
    const rotated = await t.call('POST', path, { token: owner, body: { grace_hours: 1 } })
    expect(rotated.status).toBe(200)
    expect(rotated.body.token).not.toBe(made.token)
    expect(rotated.body.base_url).toContain(rotated.body.token)
    expect((await auditOf('model_connection.rotated'))[0].target.id).toBe(made.connection_id)
    const formers = await sql<{ works_until: Date }>`select works_until
      from model_connection_former where connection_id = ${made.connection_id}`.execute(
      t.app.kernel.db,
    )
    expect(formers.rows[0]?.works_until.getTime()).toBe(t.clock.nowMs() + HOUR_MS)
    await t.call('POST', path, { token: owner, body: {} })
    const left = await sql`select 1 from model_connection_former
      where connection_id = ${made.connection_id}`.execute(t.app.kernel.db)
    expect(left.rows).toEqual([])
  })
})
