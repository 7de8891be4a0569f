import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'

const HOUR_MS = 60 * 60 * 1000
const BYTES_MAX = 262_144

type Vectors = {
  fixtures: { policies: Record<string, Document> }
  validation_json_on_agent_path: Case<{ document: unknown }>[]
  validation_yaml_on_agent_path: Case<{ text: string }>[]
  merge: (Case<{ org: Named; agent: Named }> & {
    expected: {
      merge_strategy: string
      capabilities: string[]
      forbidden: object[]
      mapping?: object
      triggers?: object[]
      defaults?: object
    }
  })[]
}
type Case<Given> = Given & {
  id: string
  title: string
  expected: { status?: number; codes?: string[] }
}
type Document = { meta?: object } & Record<string, unknown>
type Named = string | Document | null

const VECTORS: Vectors = JSON.parse(
  readFileSync(new URL('../../vectors/policy/policy.json', import.meta.url), 'utf8'),
)

let t: TestApp
let key: string
let orgId: string
let agent: string
let url: string
let orgUrl: string
let member: TestUser
let stranger: TestUser
let count = 0

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  orgId = t.first.org_id
  orgUrl = `/v1/orgs/${orgId}/policy`
  member = await t.newUser('member@example.com', { orgId, role: 'member' })
  stranger = await t.newUser('stranger@example.com')
  await newAgent()
})

async function newAgent(body: object = {}): Promise<void> {
  count += 1
  agent = `policy-agent-${count}`
  url = `/v1/agents/${agent}/policy`
  const created = await t.call('POST', '/v1/agents', {
    token: key,
    body: { agent_id: agent, ...body },
  })
  expect(created.status).toBe(201)
}

const policy = (parts: object = {}, scope = 'agent') => ({
  meta: { schema_version: '1.0', name: 'support', scope },
  ...parts,
})
const get = (at = url, headers = {}) => t.call('GET', at, { token: key, headers })
const put = (body: unknown = policy(), headers = {}, at = url) =>
  t.call('PUT', at, { token: key, body, headers })
const putOrg = (parts: object = {}) => put(policy(parts, 'org'), {}, orgUrl)
const remove = (at = url, headers = {}) => t.call('DELETE', at, { token: key, headers })
const validate = (body: unknown, headers = {}) =>
  t.call('POST', '/v1/policies/validate', { token: key, body, headers })
const yaml = { 'content-type': 'application/yaml' }

const YAML = `meta:
  schema_version: "1.0"
  name: support
  scope: agent
capability_mappings: {}
forbidden: []
escalation_triggers: []
defaults:
  enforcement_mode: off
`

const card = (actions: readonly string[]) => ({
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['transparency', 'honesty'] },
  autonomy_envelope: { bounded_actions: actions },
  audit_commitment: { retention_days: 90, queryable: false },
})

describe('writing a policy', () => {
  it('returns the whole document with its id and version, even on creation', async () => {
    await newAgent()
    const { status, body, headers } = await put(policy({ defaults: { fail_open: true } }))
    expect(status).toBe(200)
    expect(headers['etag']).toBe('"v1"')
    expect(body).toEqual({
      id: expect.stringMatching(/^pol-[0-9a-f-]{36}$/),
      version: 1,
      meta: { schema_version: '1.0', name: 'support', scope: 'agent' },
      capability_mappings: {},
      forbidden: [],
      escalation_triggers: [],
      defaults: { fail_open: true },
      created_at: t.clock.now().toISOString(),
      updated_at: t.clock.now().toISOString(),
      warnings: [],
    })
    const { warnings: _, ...stored } = body
    expect((await get()).body).toEqual(stored)
  })

  it('increments the version every time, even for an unchanged document and for a deletion', async () => {
    await newAgent()
    const first = await put()
    t.clock.advance(1000)
    const second = await put((await get()).body)
    expect(second.body).toMatchObject({ version: 2, id: first.body.id })
    expect(second.body.created_at).toBe(first.body.created_at)
    expect(second.body.updated_at).not.toBe(first.body.updated_at)
    expect((await remove()).status).toBe(204)
    expect((await get()).status).toBe(404)
    const again = await put()
    expect(again.body.version).toBe(4)
    expect(again.body.id).not.toBe(first.body.id)
  })

  it.each(VECTORS.validation_json_on_agent_path)('$id: $title', async (vector) => {
    const { status, body } = await put(vector.document)
    expect(status).toBe(vector.expected.status)
    if (status === 400) expect(body.error).toBe('invalid_request')
    if (status === 422) expect(body.error).toBe('validation_error')
    if (status !== 200) expect(body.details.length).toBeGreaterThan(0)
    const { codes } = vector.expected
    if (codes) expect(body.details.map(({ code }: { code: string }) => code)).toEqual(codes)
  })

  it.each(VECTORS.validation_yaml_on_agent_path)('$id: $title', async ({ text, expected }) => {
    for (const type of ['text/yaml', 'application/yaml', 'application/x-yaml; charset=utf-8']) {
      const { status, body } = await put(text, { 'content-type': type })
      expect(status, type).toBe(expected.status)
      if (status !== 200) expect(body.error).toBe('invalid_request')
    }
  })

  it('warns about parts that have no effect', async () => {
    await newAgent({ card: card(['search']) })
    await putOrg({
      forbidden: [{ pattern: 'mcp__fs__*', reason: 'No files', severity: 'high' }],
      defaults: { enforcement_mode: 'enforce' },
    })
    const { status, body } = await put(
      policy({
        capability_mappings: { fs: { tools: ['mcp__fs__read'], card_actions: ['search', 'read'] } },
        defaults: { enforcement_mode: 'off' },
      }),
    )
    await remove(orgUrl)
    expect(status).toBe(200)
    expect(body.warnings).toEqual([
      {
        code: 'unknown_card_action',
        path: '/capability_mappings/fs/card_actions/1',
        message: expect.any(String),
      },
      {
        code: 'shadowed_mapping',
        path: '/capability_mappings/fs/tools/0',
        message: expect.any(String),
      },
      {
        code: 'ineffective_default',
        path: '/defaults/enforcement_mode',
        message: expect.any(String),
      },
    ])
  })

  it('gives no card warnings if the agent has only the default card', async () => {
    await newAgent()
    const fs = { tools: ['mcp__fs__read'], card_actions: ['read'] }
    expect((await put(policy({ capability_mappings: { fs } }))).body.warnings).toEqual([])
  })

  it("refuses a document of the wrong scope on the organisation's path", async () => {
    const { status, body } = await put(policy(), {}, orgUrl)
    expect(status).toBe(422)
    expect(body.details).toMatchObject([{ path: '/meta/scope', code: 'scope_mismatch' }])
  })

  it('says where a body cannot be parsed or is invalid', async () => {
    const broken = await put('{"meta":', { 'content-type': 'application/json' })
    expect(broken).toMatchObject({ status: 400, body: { details: [{ code: 'parse_error' }] } })
    const list = await put([])
    expect(list).toMatchObject({ status: 400, body: { details: [{ path: '', code: 'type' }] } })
  })

  it('accepts 262,144 bytes and no more', async () => {
    const text = JSON.stringify(policy())
    const json = { 'content-type': 'application/json' }
    expect((await put(text.padEnd(BYTES_MAX), json)).status).toBe(200)
    const { status, body } = await put(text.padEnd(BYTES_MAX + 1), json)
    expect([status, body.error]).toEqual([413, 'payload_too_large'])
    expect((await validate(text.padEnd(BYTES_MAX + 1), json)).status).toBe(413)
  })

  it('accepts only JSON and YAML', async () => {
    const { status, body } = await put('<meta/>', { 'content-type': 'application/xml' })
    expect([status, body.error]).toEqual([415, 'unsupported_media_type'])
  })

  it('is for owners and admins', async () => {
    for (const at of [url, orgUrl]) {
      const call = { token: member.token, body: policy() }
      expect((await t.call('PUT', at, call)).status).toBe(403)
      expect((await t.call('DELETE', at, { token: member.token })).status).toBe(403)
    }
  })

  it('is refused once the agent is archived, while reading still works', async () => {
    await newAgent()
    await put()
    await t.call('DELETE', `/v1/agents/${agent}`, { token: await t.ownerToken() })
    expect(await put()).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect((await remove()).status).toBe(409)
    expect((await get()).status).toBe(200)
  })

  it('is recorded in the audit log', async () => {
    await newAgent()
    await put()
    await remove()
    const owner = await t.ownerToken()
    const log = (action: string) =>
      t.call('GET', `/v1/orgs/${orgId}/audit-log?action=${action}&target=${agent}`, {
        token: owner,
      })
    for (const action of ['policy.updated', 'policy.deleted']) {
      const { entries } = (await log(action)).body
      expect(entries).toMatchObject([{ action, target: { type: 'agent', id: agent } }])
    }
  })
})

describe('a policy with concurrent writers', () => {
  it('is written and deleted only with the ETag of the current version', async () => {
    await newAgent()
    expect((await put(policy(), { 'if-match': '*' })).status).toBe(412)
    await put()
    await put()
    const late = await put(policy(), { 'if-match': '"v1"' })
    expect(late).toMatchObject({ status: 412, body: { error: 'precondition_failed' } })
    expect((await remove(url, { 'if-match': '"v1"' })).status).toBe(412)
    expect((await put(policy(), { 'if-match': 'v2' })).status).toBe(400)
    expect((await put(policy(), { 'if-match': '"v2"' })).body.version).toBe(3)
    expect((await remove(url, { 'if-match': '"v3"' })).status).toBe(204)
    expect((await remove(url, { 'if-match': '"v3"' })).status).toBe(404)
  })

  it('is created once with If-None-Match: *, and again after a deletion', async () => {
    await newAgent()
    const create = () => put(policy(), { 'if-none-match': '*' })
    const outcomes = await Promise.all([create(), create()])
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 412])
    await remove()
    expect((await create()).body.version).toBe(3)
  })

  it('is validated before its precondition is checked', async () => {
    expect((await put({}, { 'if-match': '"v99"' })).status).toBe(400)
    expect((await put(policy({}, 'org'), { 'if-match': '"v99"' })).status).toBe(422)
  })
})

describe('reading a policy', () => {
  it('returns YAML without server fields, ready to be sent back', async () => {
    await newAgent()
    await put(policy({ defaults: { enforcement_mode: 'off' } }))
    for (const [accept, version] of [
      ['application/yaml', 1],
      ['text/yaml', 2],
    ] as const) {
      const { headers, text } = await get(url, { accept })
      expect(headers['content-type']).toMatch(/^application\/yaml/)
      expect(headers['etag']).toBe(`"v${version}"`)
      expect(text).toBe(YAML)
      expect((await put(text, yaml)).body.version).toBe(version + 1)
    }
  })

  it('honours If-None-Match', async () => {
    await newAgent()
    await put()
    expect((await get(url, { 'if-none-match': '"v1"' })).status).toBe(304)
    await put()
    expect((await get(url, { 'if-none-match': '"v1"' })).status).toBe(200)
  })

  it('returns every version except deletions', async () => {
    await newAgent()
    const first = await put(policy({ defaults: { fail_open: true } }))
    await put()
    await remove()
    const version = (number: number | string) => get(`${url}/versions/${number}`)
    const { warnings: _, ...stored } = first.body
    expect((await version(1)).body).toEqual(stored)
    expect((await version(1)).headers['etag']).toBe('"v1"')
    expect((await version(2)).body).toMatchObject({ version: 2, defaults: {} })
    for (const absent of [3, 4]) {
      expect(await version(absent)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
    expect((await version(3)).body.message).toContain('deletion')
    expect((await version('x')).status).toBe(400)
  })

  it('lists versions newest first, with deletions marked', async () => {
    await newAgent()
    const history = (query = '') => get(`${url}/history${query}`)
    expect(await history()).toMatchObject({ status: 404, body: { error: 'not_found' } })
    await put()
    await put()
    await remove()
    const { body } = await history('?per_page=2')
    expect(body).toMatchObject({ total: 3, page: 1, per_page: 2 })
    expect(body.versions).toMatchObject([
      { version: 3, deleted: true, meta: null },
      { version: 2, deleted: false, meta: { name: 'support' }, updated_by: expect.any(String) },
    ])
    expect((await history('?per_page=2&page=2')).body.versions).toMatchObject([{ version: 1 }])
    expect((await history('?page=0')).status).toBe(400)
  })

  it('answers alike for an unknown agent, one of others, and a missing policy', async () => {
    await newAgent()
    const paths = ['', '/history', '/versions/1', '/resolved']
    for (const path of paths) {
      for (const at of [`${url}${path}`, `/v1/agents/nobody/policy${path}`]) {
        expect(await get(at), at).toMatchObject({ status: 404, body: { error: 'not_found' } })
      }
    }
    await put()
    for (const path of paths) {
      const { status, body } = await t.call('GET', `${url}${path}`, { token: stranger.token })
      expect([status, body.error]).toEqual([404, 'not_found'])
    }
    const outside = { token: stranger.token, body: policy() }
    expect((await t.call('PUT', url, outside)).body.error).toBe('not_found')
    expect((await t.call('GET', orgUrl, { token: stranger.token })).status).toBe(404)
    expect((await t.call('GET', url, { token: member.token })).status).toBe(200)
    expect((await t.call('GET', url)).status).toBe(401)
  })
})

describe('the policy of an organisation', () => {
  it("is written, read, listed and deleted like an agent's", async () => {
    const { body } = await putOrg()
    expect(body.meta.scope).toBe('org')
    expect((await get(orgUrl)).body.id).toBe(body.id)
    expect((await get(`${orgUrl}/versions/${body.version}`)).body.id).toBe(body.id)
    expect((await get(`${orgUrl}/history`)).body.versions[0]).toMatchObject({ id: body.id })
    expect((await remove(orgUrl)).status).toBe(204)
    expect((await remove(orgUrl)).status).toBe(404)
  })
})

describe('the resolved policy', () => {
  const named = (of: Named, scope: string): Document | undefined => {
    const document = typeof of === 'string' ? VECTORS.fixtures.policies[of] : of
    return document ? { ...document, meta: { ...document.meta, scope } } : undefined
  }

  // M07 repeats a condition in two triggers, which every write path refuses.
  const storable = VECTORS.merge.filter(({ id }) => id !== 'M07')
  it.each(storable)('$id: $title', async ({ org, agent: own, expected }) => {
    await newAgent()
    await remove(orgUrl)
    const [orgDocument, agentDocument] = [named(org, 'org'), named(own, 'agent')]
    if (orgDocument) expect((await put(orgDocument, {}, orgUrl)).status).toBe(200)
    if (agentDocument) expect((await put(agentDocument)).status).toBe(200)
    const { body } = await get(`${url}/resolved`)
    await remove(orgUrl)
    const { resolved_policy: resolved, sources } = body
    expect(sources.merge_strategy).toBe(expected.merge_strategy)
    expect(Object.keys(resolved.capability_mappings)).toEqual(expected.capabilities)
    expect(resolved.forbidden).toEqual(expected.forbidden)
    if (expected.mapping) expect(resolved.capability_mappings).toEqual(expected.mapping)
    if (expected.triggers) expect(resolved.escalation_triggers).toMatchObject(expected.triggers)
    if (expected.defaults) expect(resolved.defaults).toEqual(expected.defaults)
  })

  it("falls back to the organisation's, and its version only increases", async () => {
    await newAgent()
    const resolved = () => get(`${url}/resolved`)
    const { version } = (await putOrg()).body
    await put()
    const both = await resolved()
    expect(both.body).toMatchObject({
      agent_id: agent,
      org_id: orgId,
      resolved_policy: {
        version: version + 1,
        meta: { name: 'support (resolved)', scope: 'resolved' },
      },
      sources: { org_policy_version: version, agent_policy_version: 1 },
      resolved_at: t.clock.now().toISOString(),
    })
    await remove()
    const alone = (await resolved()).body
    expect(alone.resolved_policy.version).toBe(version + 2)
    expect(alone.resolved_policy.id).toMatch(/^pol-resolved-[0-9a-f]{12}$/)
    expect(alone.sources).toEqual({
      org_policy_version: version,
      agent_policy_version: 0,
      merge_strategy: 'org_only',
    })
    await remove(orgUrl)
    expect(await resolved()).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

describe('validating a policy', () => {
  it.each(VECTORS.validation_json_on_agent_path)('$id: $title', async (vector) => {
    const { status, body } = await validate(vector.document)
    expect(status).toBe(200)
    // Validation uses the scope of the document itself, so no scope mismatch is possible.
    const isValid = vector.expected.status === 200 || vector.id === 'V17'
    expect(body.valid).toBe(isValid)
    expect(body.errors.length === 0).toBe(isValid)
    expect(body.normalized === null).toBe(!isValid)
  })

  it.each(VECTORS.validation_yaml_on_agent_path)('$id: $title', async ({ id, text, expected }) => {
    const { status, body } = await validate(text, yaml)
    // YAML 1.2 treats a merge key as an ordinary key, so it parses and is reported as unknown.
    expect(status).toBe(id === 'Y09' ? 200 : expected.status)
    if (status === 200) expect(body.valid).toBe(expected.status === 200)
    else expect(body.details).toMatchObject([{ code: 'parse_error' }])
  })

  it('normalises, warns and stores nothing, for members too', async () => {
    await newAgent()
    await putOrg({ defaults: { unmapped_tool_action: 'block' } })
    const fs = { tools: ['a', 'a'], card_actions: ['read', 'read'] }
    const document = policy({
      capability_mappings: { fs },
      defaults: { unmapped_tool_action: 'warn' },
    })
    const { body } = await t.call('POST', '/v1/policies/validate', {
      token: member.token,
      body: document,
    })
    await remove(orgUrl)
    expect(body).toMatchObject({
      valid: true,
      errors: [],
      warnings: [{ code: 'ineffective_default', path: '/defaults/unmapped_tool_action' }],
      normalized: {
        capability_mappings: { fs: { tools: ['a'], card_actions: ['read'] } },
        forbidden: [],
      },
    })
    expect((await get()).status).toBe(404)
  })

  it('requires a credential and a body that can be parsed', async () => {
    expect((await t.call('POST', '/v1/policies/validate', { body: policy() })).status).toBe(401)
    expect((await validate('a: [', yaml)).status).toBe(400)
    expect((await validate('a', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('erasing the owner of a policy', () => {
  const kept = async (id: string) =>
    (
      await sql`select from policy_owner o left join policy_version v using (owner_kind, owner_id)
        where o.owner_id = ${id}`.execute(t.app.kernel.db)
    ).rows.length
  const oneMonth = async () => {
    t.clock.advance(31 * 24 * HOUR_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
  }

  it('deletes the policy, for an agent and for an organisation', async () => {
    const owner = await t.ownerToken()
    const short = { name: 'Short', slug: 'short' }
    const created = await t.call('POST', '/v1/orgs', { token: owner, body: short })
    const doomed = created.body.org_id
    await t.call('PUT', `/v1/orgs/${doomed}/policy`, { token: owner, body: policy({}, 'org') })
    await newAgent()
    await put()
    expect([await kept(agent), await kept(doomed)]).toEqual([1, 1])
    await t.call('POST', `/v1/agents/${agent}/erase`, { token: owner, body: { confirm: agent } })
    await t.call('DELETE', `/v1/orgs/${doomed}`, { token: owner })
    expect([await kept(agent), await kept(doomed)]).toEqual([1, 1])
    await oneMonth()
    expect([await kept(agent), await kept(doomed)]).toEqual([0, 0])
  })
})
