import { hashCanonical } from '@touchstone/protocol/crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type TestApp, type TestUser, testApp } from '#harness/app.ts'
import { textOf } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const CARD = {
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['wire_money', 'search'] },
  audit_commitment: { retention_days: 30, queryable: false },
}
const FORBIDDING = { autonomy_envelope: { forbidden_actions: ['wire_money'] } }
const FEAR = { type: 'FEAR', name: 'haste', content: 'Acting before thinking.' }
const WIRING = 'I will wire the money to the supplier this evening.'
const TOOL = 'mcp__bank__wire'

let t: TestApp
let key: string
let orgId: string
let url: string
let foreign: string
let agent: string
const people: Record<string, TestUser> = {}
let count = 0

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  orgId = t.first.org_id
  url = `/v1/orgs/${orgId}/card-template`
  foreign = await otherOrgKey(t)
  for (const role of ['admin', 'auditor', 'member']) {
    people[role] = await t.newUser(`${role}@example.com`, { orgId, role })
  }
})

beforeEach(async () => {
  await t.call('DELETE', url, { token: await t.ownerToken() })
  count += 1
  agent = `templated-agent-${count}`
  const body = { agent_id: agent, card: CARD }
  expect(await call('POST', '/v1/agents', body)).toMatchObject({ status: 201 })
})

const call = (method: string, at: string, body?: unknown, token = key): Promise<Answer> =>
  t.call(method, at, { token, body })
const get = (at = url, token = key) => call('GET', at, undefined, token)
const put = (card_json: unknown = FORBIDDING, changes: object = {}, headers = {}) =>
  t.call('PUT', url, {
    token: key,
    headers,
    body: { enabled: true, template: { card_json }, ...changes },
  })
const exempt = (body: unknown, token = key) =>
  call('PUT', `/v1/agents/${agent}/org-card-exempt`, body, token)
const composed = async () => (await get(`/v1/agents/${agent}/card?effective=true`)).body

const wired = (app = t) => {
  count += 1
  return app.call('POST', '/v1/traces', {
    token: key,
    body: {
      agent_id: agent,
      action: { type: 'execute', name: 'wire_money', category: 'bounded' },
      decision: {
        selected: 'a',
        selection_reasoning: 'It is due.',
        values_applied: ['honesty'],
      },
    },
  })
}
const violationsOf = async (app = t) => (await wired(app)).body.verification.violations

const POLICY = {
  meta: { schema_version: '1.0', name: 'bank', scope: 'agent' },
  capability_mappings: { bank: { tools: [TOOL], card_actions: ['wire_money'] } },
}
const putPolicy = async () => {
  const saved = await call('PUT', `/v1/agents/${agent}/policy`, POLICY)
  expect(saved.status).toBe(200)
}
const evaluate = async (app = t) =>
  (
    await app.call('POST', '/v1/policies/evaluate', {
      token: key,
      body: { agent_id: agent, tools: [TOOL], context: 'gateway' },
    })
  ).body
const FORBIDDEN = {
  verdict: 'fail',
  violations: [{ type: 'forbidden', tool: TOOL, severity: 'critical', rule: 'card' }],
}

const postCheckpoint = async (said: string) => {
  count += 1
  const body = { thinking: textOf(count, said) }
  return (await call('POST', `/v1/agents/${agent}/checkpoints`, body)).body.checkpoint
}

describe('the card template of an organisation', () => {
  it('is 404 until it is written, and is returned with its defaults', async () => {
    expect(await get()).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const { status, body, headers } = await put()
    expect(status).toBe(200)
    const now = t.clock.now().toISOString()
    const { warnings, ...stored } = body
    expect(warnings).toEqual([])
    expect(stored).toEqual({
      org_id: orgId,
      enabled: true,
      template: {
        card_id: `tmpl-${orgId}`,
        agent_id: null,
        is_active: true,
        card_json: FORBIDDING,
        conscience_values: [],
        issued_at: now,
      },
      created_by: expect.any(String),
      updated_by: expect.any(String),
      created_at: now,
      updated_at: now,
    })
    const read = await get()
    expect(read.body).toEqual(stored)
    expect(read.headers['etag']).toBe(headers['etag'])
  })

  it('can be written back exactly as it was read', async () => {
    await put(FORBIDDING, { template: { card_json: FORBIDDING, conscience_values: [FEAR] } })
    const { body } = await get()
    const again = await t.call('PUT', url, { token: key, body })
    expect(again.status).toBe(200)
    expect(again.body.template).toEqual(body.template)
  })

  it('honours If-Match and If-None-Match', async () => {
    const none = { 'if-none-match': '*' }
    const created = await put(FORBIDDING, {}, none)
    expect(created.status).toBe(200)
    const refused = { status: 412, body: { error: 'precondition_failed' } }
    expect(await put(FORBIDDING, {}, none)).toMatchObject(refused)
    const seen = { 'if-match': String(created.headers['etag']) }
    expect((await put(FORBIDDING, {}, seen)).status).toBe(200)
    expect(await put(FORBIDDING, {}, seen)).toMatchObject(refused)
    const token = await t.ownerToken()
    expect(await t.call('DELETE', url, { token, headers: seen })).toMatchObject(refused)
  })

  it.each([
    [{ values: 'honesty' }, '/template/card_json/values'],
    [{ values: { declared: ['Not An Id'] } }, '/template/card_json/values/declared/0'],
    [
      { autonomy_envelope: { forbidden_actions: [7] } },
      '/template/card_json/autonomy_envelope/forbidden_actions/0',
    ],
    [
      { audit_commitment: { retention_days: -1 } },
      '/template/card_json/audit_commitment/retention_days',
    ],
  ])('refuses an invalid block: %j', async (card, path) => {
    expect(await put(card)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', details: [{ path }] },
    })
    expect((await get()).status).toBe(404)
  })

  it.each([
    [{ enabled: undefined }],
    [{ enabled: 'yes' }],
    [{ template: undefined }],
    [{ template: {} }],
    [{ template: { card_json: [] } }],
    [{ template: { card_json: {}, conscience_values: [{ type: 'WISH', name: 'x' }] } }],
    [{ template: { card_json: {}, issued_at: 'yesterday' } }],
    [{ template: { card_json: {}, card_id: 'a b' } }],
  ])('refuses an invalid body: %j', async (changes) => {
    expect(await put({}, changes)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  it('warns about parts that have no effect', async () => {
    const { body } = await put({ autonomy_envelope: { forbiden_actions: [] } })
    expect(body.warnings).toMatchObject([{ code: 'unknown_field' }])
  })

  it('is deleted by owners only, after which agents are judged by their own cards again', async () => {
    await put()
    const token = await t.ownerToken()
    expect((await call('DELETE', url)).status).toBe(403)
    expect((await call('DELETE', url, undefined, people['admin']?.token)).status).toBe(403)
    expect(await t.call('DELETE', url, { token })).toMatchObject({
      status: 200,
      body: { deleted: true },
    })
    expect((await t.call('DELETE', url, { token })).status).toBe(404)
    expect((await composed()).card_json.autonomy_envelope).toEqual(CARD.autonomy_envelope)
  })

  it('is readable by all members, writable by owners and admins, and audited', async () => {
    t.clock.advance(1000)
    const body = { enabled: true, template: { card_json: {} } }
    for (const [role, written] of [
      ['admin', 200],
      ['auditor', 403],
      ['member', 403],
    ] as const) {
      const token = people[role]?.token ?? ''
      expect((await call('PUT', url, body, token)).status, role).toBe(written)
      expect((await get(url, token)).status, role).toBe(200)
    }
    const log = await get(`/v1/orgs/${orgId}/audit-log?action=card_template.updated`)
    expect(log.body.entries[0]).toMatchObject({
      actor: { type: 'user', id: people['admin']?.userId },
      target: { type: 'org', id: orgId },
    })
  })

  it('is 404 for another organisation', async () => {
    await put()
    const body = { enabled: true, template: { card_json: {} } }
    expect((await get(url, foreign)).status).toBe(404)
    expect((await call('PUT', url, body, foreign)).status).toBe(404)
    expect(await exempt({ exempt: false }, foreign)).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
  })

  it('requires the plan feature, and so does an exemption', async () => {
    const token = await t.ownerToken()
    const setPlan = (plan_id: string) =>
      t.call('PUT', `/v1/admin/orgs/${orgId}/plan`, { token, body: { plan_id } })
    await setPlan('plan-team')
    for (const answer of [await get(), await put(), await exempt({ exempt: false })]) {
      expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    }
    await setPlan('plan-enterprise')
  })
})

describe('a composed card', () => {
  it('is what owners read with effective=true, while others read the plain card', async () => {
    const values = { declared: ['privacy', 'honesty'], hierarchy: 'weighted' }
    const template = {
      card_json: { ...FORBIDDING, values, audit_commitment: { retention_days: 365 } },
      conscience_values: [FEAR],
    }
    await put({}, { template })
    const effective = await composed()
    expect(effective.card_json).toMatchObject({
      agent_id: agent,
      values: { declared: ['privacy', 'honesty'], hierarchy: 'weighted' },
      autonomy_envelope: {
        bounded_actions: ['wire_money', 'search'],
        forbidden_actions: ['wire_money'],
      },
      audit_commitment: { retention_days: 365, queryable: false },
    })
    expect(effective.conscience_values).toEqual([FEAR])
    const at = `/v1/agents/${agent}/card`
    const plain = (await get(at)).body
    expect(plain.card_json).toMatchObject(CARD)
    expect(plain.card_json.autonomy_envelope).toEqual(CARD.autonomy_envelope)
    expect(plain.conscience_values).toEqual([])
    const outside = (await get(`${at}?effective=true`, foreign)).body
    expect(outside.card_json.autonomy_envelope).toEqual(CARD.autonomy_envelope)
    const resolved = (await get(`/v1/agents/${agent}/conscience-values`)).body.values
    expect(resolved.at(-1)).toEqual({ ...FEAR, severity: null, source: 'template' })
  })

  it('has an ETag that changes with the template', async () => {
    const tag = async () => (await get(`/v1/agents/${agent}/card?effective=true`)).headers['etag']
    const before = await tag()
    expect(await tag()).toBe(before)
    await put()
    expect(await tag()).not.toBe(before)
  })

  it('forbids in evaluation what the template forbids, as soon as it is written and until it is disabled', async () => {
    await putPolicy()
    expect((await evaluate()).verdict).toBe('pass')
    await put()
    expect(await evaluate()).toMatchObject(FORBIDDEN)
    await put(FORBIDDING, { enabled: false })
    expect((await evaluate()).verdict).toBe('pass')
  })

  it('forbids in verification what the template forbids, whether or not the trace is stored', async () => {
    expect(await violationsOf()).toEqual([])
    await put()
    expect(await violationsOf()).toEqual(['FORBIDDEN_ACTION'])
    const trace = {
      agent_id: agent,
      action: { type: 'execute', name: 'wire_money', category: 'bounded' },
      decision: { selected: 'a', selection_reasoning: 'Due.', values_applied: ['honesty'] },
    }
    for (const body of [{ trace }, { trace, card: CARD }]) {
      const tried = await call('POST', '/v1/traces/verify', body)
      expect(tried.body.violations).toEqual(['FORBIDDEN_ACTION'])
    }
  })

  it('is what checkpoints are judged against and commit to', async () => {
    expect((await postCheckpoint(WIRING)).verdict).toBe('clear')
    await put()
    const checkpoint = await postCheckpoint(WIRING)
    expect(checkpoint).toMatchObject({
      verdict: 'boundary_violation',
      violation_type: 'FORBIDDEN_ACTION',
    })
    const at = `/v1/checkpoints/${checkpoint.checkpoint_id}/certificate`
    const { card_hash: hash } = (await get(at)).body.input_commitments
    const effective = await composed()
    expect(hash).toBe(hashCanonical(effective.card_json))
    expect(checkpoint.card_id).toBe(effective.card_id)
  })

  it('takes effect on other nodes within a moment', async () => {
    await putPolicy()
    const other = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
    expect((await evaluate(other)).verdict).toBe('pass')
    expect(await violationsOf(other)).toEqual([])
    await put()
    await eventually(async () => {
      expect(await evaluate(other)).toMatchObject(FORBIDDEN)
      expect(await violationsOf(other)).toEqual(['FORBIDDEN_ACTION'])
    })
  })

  it('records no amendment and no card version when the template changes', async () => {
    await put()
    const { body } = await get(`/v1/agents/${agent}/card/history`)
    expect(body.total).toBe(1)
  })
})

describe('an exempt agent', () => {
  it('is judged by its own card everywhere, effective immediately, until the exemption ends', async () => {
    await putPolicy()
    await put()
    expect(await evaluate()).toMatchObject(FORBIDDEN)
    const now = t.clock.now().toISOString()
    expect(await exempt({ exempt: true, reason: 'a test bench' })).toMatchObject({
      status: 200,
      body: { agent_id: agent, exempt: true, reason: 'a test bench', updated_at: now },
    })
    expect((await evaluate()).verdict).toBe('pass')
    expect(await violationsOf()).toEqual([])
    expect((await postCheckpoint(WIRING)).verdict).toBe('clear')
    expect((await composed()).card_json.autonomy_envelope).toEqual(CARD.autonomy_envelope)
    expect((await exempt({ exempt: false })).body).toMatchObject({ exempt: false, reason: null })
    expect(await evaluate()).toMatchObject(FORBIDDEN)
    expect(await violationsOf()).toEqual(['FORBIDDEN_ACTION'])
    expect((await postCheckpoint(WIRING)).verdict).toBe('boundary_violation')
    const log = await get(`/v1/orgs/${orgId}/audit-log?target=${agent}`)
    const actions = log.body.entries.map(({ action }: { action: string }) => action)
    expect(actions.filter((action: string) => /exemption/.test(action))).toHaveLength(2)
  })

  it.each([[{ exempt: true }], [{ exempt: true, reason: '' }], [{ reason: 'x' }], [{}]])(
    'cannot be created with an invalid body: %j',
    async (body) => {
      expect(await exempt(body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    },
  )

  it('cannot be an archived one', async () => {
    const token = await t.ownerToken()
    await t.call('DELETE', `/v1/agents/${agent}`, { token })
    expect(await exempt({ exempt: true, reason: 'late' })).toMatchObject({ status: 409 })
  })
})
