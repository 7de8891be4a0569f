import { valuesHash } from '@touchstone/protocol/evidence'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const VALUE = {
  name: 'no_promises',
  description: 'Never promise a delivery date to customers.',
  type: 'COMMITMENT',
}
const PROMISE = 'I will promise the delivery date to these customers today.'
const BASE_COUNT = 5

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
  url = `/v1/orgs/${orgId}/conscience-values`
  foreign = await otherOrgKey(t)
  for (const role of ['admin', 'auditor', 'member']) {
    people[role] = await t.newUser(`${role}@example.com`, { orgId, role })
  }
})

beforeEach(async () => {
  for (const { id } of (await get()).body.values) {
    expect((await call('DELETE', `${url}/${id}`)).status).toBe(200)
  }
  await call('PUT', `${url}/mode`, { mode: 'augment', enabled: true })
})

const call = (method: string, at: string, body?: unknown, token = key) =>
  t.call(method, at, { token, body })
const get = (at = url, token = key) => call('GET', at, undefined, token)
const post = (changes: object = {}, token = key) =>
  call('POST', url, { ...VALUE, ...changes }, token)
const patch = (id: string, body: unknown) => call('PATCH', `${url}/${id}`, body)
const put = (what: 'order' | 'mode', body: unknown) => call('PUT', `${url}/${what}`, body)
const log = async () => (await get(`${url}/log`)).body

async function add(changes: object = {}): Promise<string> {
  const { status, body } = await post(changes)
  expect(status).toBe(201)
  return body.id
}

async function newAgent(conscience_values: object[] = []): Promise<string> {
  count += 1
  agent = `conscious-agent-${count}`
  const body = { agent_id: agent, card: { card_json: CARD, conscience_values } }
  expect(await call('POST', '/v1/agents', body)).toMatchObject({ status: 201 })
  return agent
}

const postCheckpoint = (said: string, app = t) => {
  count += 1
  return app.call('POST', `/v1/agents/${agent}/checkpoints`, {
    token: key,
    body: { thinking: textOf(count, said) },
  })
}
const verdictOf = async (said = PROMISE, app = t) =>
  (await postCheckpoint(said, app)).body.checkpoint.verdict

async function eventsOf(): Promise<object[]> {
  const found = await sql<{ data: object }>`
    select data from event where type = 'conscience.values_updated' and org_id = ${orgId}
    order by created_at, id`.execute(t.app.kernel.db)
  return found.rows.map(({ data }) => data)
}

describe('conscience values of an organisation', () => {
  it('start empty and enabled, next to the base values', async () => {
    expect((await get()).body).toEqual({
      org_id: orgId,
      mode: 'augment',
      enabled: true,
      values: [],
    })
  })

  it('are appended, and advisory by default', async () => {
    const first = await post()
    expect(first.status).toBe(201)
    const now = t.clock.now().toISOString()
    expect(first.body).toEqual({
      id: expect.stringMatching(/^cv-[0-9a-f-]{36}$/),
      org_id: orgId,
      ...VALUE,
      severity: 'advisory',
      is_active: true,
      sort_order: 0,
      created_by: expect.any(String),
      updated_by: expect.any(String),
      created_at: now,
      updated_at: now,
    })
    const second = await post({ name: 'second', severity: 'mandatory' })
    expect(second.body).toMatchObject({ sort_order: 1, severity: 'mandatory' })
    expect((await get()).body.values).toEqual([first.body, second.body])
  })

  it.each([
    [{ name: '' }, 400],
    [{ name: '  ' }, 400],
    [{ name: 'x'.repeat(51) }, 400],
    [{ description: '' }, 400],
    [{ description: 'x'.repeat(501) }, 400],
    [{ type: 'WISH' }, 400],
    [{ severity: 'grave' }, 400],
    [{ name: 7 }, 400],
    [{ name: null }, 400],
    [{ name: 'bad\u0000name' }, 400],
  ])('refuse %j', async (changes, status) => {
    const answer = await post(changes)
    expect(answer).toMatchObject({ status, body: { error: 'invalid_request' } })
    expect((await get()).body.values).toEqual([])
  })

  it('are limited to twenty', async () => {
    for (let n = 0; n < 20; n += 1) await add({ name: `value ${n}` })
    expect(await post({ name: 'one more' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    expect((await get()).body.values).toHaveLength(20)
  })

  it('have unique names, ignoring case', async () => {
    await add()
    expect(await post({ name: 'No_Promises' })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })
    const other = await add({ name: 'other' })
    expect((await patch(other, { name: 'NO_PROMISES' })).status).toBe(409)
    expect((await patch(other, { name: 'OTHER' })).status).toBe(200)
  })

  it('are changed by the given fields, and 404 if unknown', async () => {
    const id = await add()
    t.clock.advance(1000)
    const { status, body } = await patch(id, { severity: 'mandatory', type: 'HOPE' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, severity: 'mandatory', type: 'HOPE', name: VALUE.name })
    expect(body.updated_at).not.toBe(body.created_at)
    expect((await patch(id, { is_active: 'no' })).status).toBe(400)
    expect(await patch('cv-none', {})).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('are deleted once', async () => {
    const id = await add()
    expect(await call('DELETE', `${url}/${id}`)).toMatchObject({
      status: 200,
      body: { deleted: true, id },
    })
    expect((await call('DELETE', `${url}/${id}`)).status).toBe(404)
  })

  it('are reordered by a list that names each of them once', async () => {
    const ids = [await add({ name: 'a' }), await add({ name: 'b' }), await add({ name: 'c' })]
    const order = [...ids].reverse()
    expect((await put('order', { order })).body).toEqual({ reordered: true, order })
    const { values } = (await get()).body
    expect(values.map(({ id }: { id: string }) => id)).toEqual(order)
    expect((await put('order', { order })).body).toEqual({ reordered: false, order })
    for (const wrong of [
      ids.slice(1),
      [...ids, ids[0]],
      [ids[0], ids[0], ids[1]],
      ['x', 'y', 'z'],
    ]) {
      expect(await put('order', { order: wrong })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', details: [{ path: '/order' }] },
      })
    }
    expect((await put('order', { order: 'abc' })).status).toBe(400)
    expect((await put('order', {})).status).toBe(400)
  })

  it('are switched off and on together', async () => {
    expect((await put('mode', { mode: 'replace' })).body).toEqual({
      org_id: orgId,
      mode: 'replace',
      enabled: true,
    })
    expect((await put('mode', { enabled: false })).body).toMatchObject({
      mode: 'replace',
      enabled: false,
    })
    expect((await put('mode', { mode: 'ignore' })).status).toBe(400)
  })

  it('log and announce every change, unless nothing changes', async () => {
    const [loggedBefore, toldBefore] = [await log(), await eventsOf()]
    t.clock.advance(1000)
    const id = await add()
    t.clock.advance(1000)
    await patch(id, { is_active: false })
    await patch(id, { is_active: false })
    await patch(id, {})
    await put('order', { order: [id] })
    await put('mode', { mode: 'augment' })
    t.clock.advance(1000)
    await put('mode', { mode: 'replace' })
    const { total, entries } = await log()
    expect(total - loggedBefore.total).toBe(3)
    const actor = expect.stringMatching(/^key-/)
    expect(entries.slice(0, 3)).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^cvl-/),
        org_id: orgId,
        actor,
        action: 'mode_change',
        value_id: null,
        changes: { mode: { from: 'augment', to: 'replace' } },
        metadata: {},
      }),
      expect.objectContaining({
        action: 'deactivate',
        value_id: id,
        changes: { is_active: { from: true, to: false } },
      }),
      expect.objectContaining({ action: 'create', value_id: id, metadata: { name: VALUE.name } }),
    ])
    expect((await eventsOf()).slice(toldBefore.length)).toEqual([
      { org_id: orgId, action: 'create', value_id: id, actor },
      { org_id: orgId, action: 'deactivate', value_id: id, actor },
      { org_id: orgId, action: 'mode_change', value_id: null, actor },
    ])
  })

  it('list their log in pages', async () => {
    await add()
    const { body } = await get(`${url}/log?per_page=1&page=2`)
    expect(body).toMatchObject({ org_id: orgId, page: 2, per_page: 1 })
    expect(body.entries).toHaveLength(1)
    expect(body.total).toBeGreaterThan(1)
    expect((await get(`${url}/log?page=0`)).status).toBe(400)
  })

  it('follow the access table', async () => {
    for (const [role, read, change, look] of [
      ['admin', 200, 201, 200],
      ['auditor', 200, 403, 200],
      ['member', 200, 403, 403],
    ] as const) {
      const token = people[role]?.token ?? ''
      expect((await get(url, token)).status, role).toBe(read)
      expect((await post({ name: role }, token)).status, role).toBe(change)
      expect((await get(`${url}/log`, token)).status, role).toBe(look)
    }
  })

  it('are 404 for another organisation', async () => {
    const id = await add()
    await newAgent()
    expect((await get(url, foreign)).status).toBe(404)
    expect((await post({}, foreign)).status).toBe(404)
    expect((await call('DELETE', `${url}/${id}`, undefined, foreign)).status).toBe(404)
    expect(await get(`/v1/agents/${agent}/conscience-values`, foreign)).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
    expect((await get('/v1/agents/nobody/conscience-values')).body.error).toBe('agent_not_found')
  })
})

describe('the resolved conscience values of an agent', () => {
  const resolved = async () => (await get(`/v1/agents/${agent}/conscience-values`)).body.values

  it('are those of base, organisation and agent, each with its source', async () => {
    const own = { type: 'FEAR', name: 'haste', content: 'Acting before thinking.' }
    await newAgent([own])
    await add({ severity: 'mandatory' })
    await patch(await add({ name: 'off' }), { is_active: false })
    const values = await resolved()
    expect(values[0]).toMatchObject({ name: 'no_injected_orders', severity: null, source: 'base' })
    expect(values.slice(BASE_COUNT)).toEqual([
      {
        type: VALUE.type,
        name: VALUE.name,
        content: VALUE.description,
        severity: 'mandatory',
        source: 'org',
      },
      { ...own, severity: null, source: 'agent' },
    ])
    await put('mode', { mode: 'replace' })
    expect((await resolved()).map(({ source }: { source: string }) => source)).toEqual([
      'org',
      'agent',
    ])
    await put('mode', { enabled: false })
    expect((await resolved()).slice(BASE_COUNT)).toEqual([
      { ...own, severity: null, source: 'agent' },
    ])
  })

  it('change the verdict as soon as a mandatory value exists', async () => {
    await newAgent()
    expect(await verdictOf()).toBe('clear')
    const id = await add({ severity: 'mandatory' })
    const { body } = await postCheckpoint(PROMISE)
    expect(body.checkpoint).toMatchObject({
      verdict: 'boundary_violation',
      concerns: [{ relevant_conscience_value: 'BOUNDARY:no_promises' }],
    })
    expect(body.checkpoint.conscience_context.values_checked).toContain('BOUNDARY:no_promises')
    await patch(id, { severity: 'advisory', type: 'BOUNDARY' })
    expect(await verdictOf()).toBe('review_needed')
    await patch(id, { type: 'HOPE' })
    expect(await verdictOf()).toBe('clear')
    await patch(id, { severity: 'mandatory' })
    expect(await verdictOf()).toBe('boundary_violation')
    await patch(id, { is_active: false })
    expect(await verdictOf()).toBe('clear')
  })

  it('are what a certificate commits to, in resolution order', async () => {
    await newAgent([{ type: 'FEAR', name: 'haste', content: 'Acting before thinking.' }])
    const committed = async () => {
      const { checkpoint_id: id } = (await postCheckpoint('')).body.checkpoint
      return (await get(`/v1/checkpoints/${id}/certificate`)).body.input_commitments.values_hash
    }
    const ids = [await add({ name: 'one' }), await add({ name: 'two' })]
    const before = await committed()
    expect(before).toBe(valuesHash(await resolved()))
    await put('order', { order: [...ids].reverse() })
    const after = await committed()
    expect(after).not.toBe(before)
    expect(after).toBe(valuesHash(await resolved()))
  })

  it('take effect on other nodes within a moment', async () => {
    await newAgent()
    const other = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
    expect(await verdictOf(PROMISE, other)).toBe('clear')
    await add({ severity: 'mandatory' })
    await eventually(async () => expect(await verdictOf(PROMISE, other)).toBe('boundary_violation'))
  })

  it('warn about a card whose bounded actions a binding value prohibits', async () => {
    await add({ severity: 'mandatory', description: 'Never recommend anything.' })
    await newAgent()
    const at = `/v1/agents/${agent}/card`
    const conflict = [{ code: 'org_conscience_conflict' }]
    const body = { card_json: CARD, conscience_values: [] }
    expect((await call('POST', `${at}/validate`, body)).body).toMatchObject({
      valid: true,
      warnings: conflict,
    })
    const saved = await call('PUT', at, { ...CARD, extensions: { note: {} } })
    expect(saved).toMatchObject({ status: 200, body: { warnings: conflict } })
  })
})

describe('without the feature in the plan', () => {
  it('every conscience value endpoint answers 403', async () => {
    await newAgent()
    const token = await t.ownerToken()
    const setPlan = (plan_id: string) =>
      t.call('PUT', `/v1/admin/orgs/${orgId}/plan`, { token, body: { plan_id } })
    expect((await setPlan('plan-team')).status).toBe(200)
    const refused = { status: 403, body: { error: 'forbidden' } }
    expect(await get()).toMatchObject(refused)
    expect(await post()).toMatchObject(refused)
    expect(await get(`${url}/log`)).toMatchObject(refused)
    expect(await get(`/v1/agents/${agent}/conscience-values`)).toMatchObject(refused)
    await setPlan('plan-enterprise')
    expect((await get()).status).toBe(200)
  })
})
