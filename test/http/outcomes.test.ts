import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

let t: TestApp
let other: string
const AGENT = 'outcome-agent'
const UNKNOWN = 'dec-00000000-0000-7000-8000-000000000000'
const HOUR_MS = 3_600_000

beforeAll(async () => {
  t = await testApp()
  other = await otherOrgKey(t)
  await t.call('POST', '/v1/agents', {
    token: t.first.api_key,
    body: { agent_id: AGENT, name: 'Outcome' },
  })
})

async function decide(tool = 'shop_read'): Promise<string> {
  const body = { agent_id: AGENT, tool, session_id: 'outcomes' }
  const answer = await t.call('POST', '/v1/gateway/decide', { token: t.first.api_key, body })
  expect(answer.status).toBe(200)
  return answer.body.decision_id
}

const report = (decisionId: string, body: object, token = t.first.api_key) =>
  t.call('POST', `/v1/decisions/${decisionId}/outcome`, { token, body })

const reportAll = (outcomes: readonly object[], token = t.first.api_key) =>
  t.call('POST', '/v1/decisions/outcomes', { token, body: { outcomes } })

describe('an outcome', () => {
  it('is stored once and shown with the decision', async () => {
    const decisionId = await decide()
    const given = {
      status: 'failed',
      duration_ms: 12.5,
      error: 'No route',
      result_hash: 'AB'.repeat(32),
    }
    const first = await report(decisionId, given)
    expect(first).toMatchObject({
      status: 200,
      body: {
        decision_id: decisionId,
        outcome: {
          ...given,
          result_hash: 'ab'.repeat(32),
          reported_at: expect.any(String),
          bypassed: false,
        },
      },
    })
    expect(await report(decisionId, given)).toMatchObject({ status: 200, body: first.body })
    expect(await report(decisionId, { ...given, status: 'executed' })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })
    const { body } = await t.call('GET', `/v1/decisions/${decisionId}`, { token: t.first.api_key })
    expect(body.outcome).toEqual(first.body.outcome)
  })

  it('is accepted for 24 hours', async () => {
    const decisionId = await decide()
    t.clock.advance(24 * HOUR_MS + 1)
    expect(await report(decisionId, { status: 'executed' })).toMatchObject({ status: 409 })
    expect((await reportAll([{ decision_id: decisionId, status: 'executed' }])).body).toEqual({
      results: [{ decision_id: decisionId, status: 'conflict' }],
    })
  })

  it('is accepted only from the credential that asked', async () => {
    const decisionId = await decide()
    const { body: made } = await t.call('POST', '/v1/api-keys', {
      token: await t.ownerToken(),
      body: { name: 'second', org_id: t.first.org_id },
    })
    for (const [id, token] of [
      [decisionId, other],
      [decisionId, made.key],
      [decisionId, await t.ownerToken()],
      [UNKNOWN, t.first.api_key],
      ['nothing', t.first.api_key],
    ] as const) {
      expect(await report(id, { status: 'executed' }, token)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      })
    }
    expect((await report(decisionId, { status: 'executed' })).status).toBe(200)
  })

  it('has a known status, and a bounded error and hash', async () => {
    const decisionId = await decide()
    for (const body of [
      { status: 'done' },
      {},
      { status: 'failed', error: 'x'.repeat(501) },
      { status: 'executed', result_hash: 'ab' },
      { status: 'executed', duration_ms: -1 },
    ]) {
      expect((await report(decisionId, body)).status, JSON.stringify(body)).toBe(400)
    }
    expect((await reportAll([])).status).toBe(400)
  })
})

describe('a key that is bound to an agent', () => {
  const newKey = async (body: object): Promise<string> => {
    const token = await t.ownerToken()
    const made = await t.call('POST', '/v1/api-keys', {
      token,
      body: { org_id: t.first.org_id, ...body },
    })
    expect(made.status, made.text).toBe(201)
    return made.body.key
  }

  it('reports for that agent, whoever asked, and for no other', async () => {
    await t.call('POST', '/v1/agents', { token: t.first.api_key, body: { agent_id: 'outcome-b' } })
    const scopes = ['decide']
    const own = await newKey({ name: 'own', agent_id: AGENT, scopes })
    const foreign = await newKey({ name: 'foreign', agent_id: 'outcome-b', scopes })
    const decisionId = await decide()
    expect((await report(decisionId, { status: 'executed' }, foreign)).status).toBe(404)
    const all = await reportAll([{ decision_id: decisionId, status: 'executed' }], foreign)
    expect(all.body.results).toMatchObject([{ status: 'not_found' }])
    expect((await report(decisionId, { status: 'executed' }, own)).status).toBe(200)
  })

  it('that only observes cannot bypass', async () => {
    const policy = {
      meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
      forbidden: [{ pattern: 'wipe', reason: 'Nobody wipes', severity: 'critical' }],
      defaults: { enforcement_mode: 'enforce' },
    }
    await t.call('POST', '/v1/agents', { token: t.first.api_key, body: { agent_id: 'observed' } })
    await t.call('PUT', '/v1/agents/observed/policy', { token: t.first.api_key, body: policy })
    const token = await newKey({
      name: 'observer',
      agent_id: 'observed',
      scopes: ['decide'],
      mode: 'observe',
    })
    const { body } = await t.call('POST', '/v1/gateway/decide', {
      token,
      body: { agent_id: 'observed', tool: 'wipe' },
    })
    expect(body.decision).toBe('block')
    expect((await report(body.decision_id, { status: 'executed' }, token)).status).toBe(200)
    const listed = await t.call('GET', '/v1/decisions?agent_id=observed', {
      token: t.first.api_key,
    })
    expect(listed.body.decisions).toMatchObject([
      { enforced: false, outcome: { status: 'executed' } },
    ])
    const bypassed = await t.call('GET', '/v1/decisions?agent_id=observed&outcome=bypassed', {
      token: t.first.api_key,
    })
    expect(bypassed.body.decisions).toEqual([])
  })
})

describe('a batch of outcomes', () => {
  it('answers each report in order', async () => {
    const [a, b, c] = [await decide(), await decide(), await decide()]
    await report(b, { status: 'executed' })
    const { status, body } = await reportAll([
      { decision_id: a, status: 'executed', duration_ms: 3 },
      { decision_id: b, status: 'executed' },
      { decision_id: b, status: 'failed' },
      { decision_id: UNKNOWN, status: 'executed' },
      { decision_id: c, status: 'not_executed' },
      { decision_id: c, status: 'not_executed' },
      { decision_id: c, status: 'executed' },
    ])
    expect(status).toBe(200)
    expect(body.results).toEqual([
      { decision_id: a, status: 'stored' },
      { decision_id: b, status: 'duplicate' },
      { decision_id: b, status: 'conflict' },
      { decision_id: UNKNOWN, status: 'not_found' },
      { decision_id: c, status: 'stored' },
      { decision_id: c, status: 'duplicate' },
      { decision_id: c, status: 'conflict' },
    ])
  })

  it('of several requests at once stores each outcome once', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => decide()))
    const outcomes = ids.map((decision_id) => ({ decision_id, status: 'executed' }))
    const answers = await Promise.all(
      [outcomes, [...outcomes].reverse(), outcomes].map((some) => reportAll(some)),
    )
    const statuses = answers.flatMap(({ body }) =>
      body.results.map((one: { status: string }) => one.status),
    )
    expect(statuses.filter((status) => status === 'stored')).toHaveLength(10)
    expect(statuses.filter((status) => status === 'duplicate')).toHaveLength(20)
  })

  it('makes the decisions listed by outcome', async () => {
    const [done, failed, open] = [await decide('f_a'), await decide('f_b'), await decide('f_c')]
    await reportAll([
      { decision_id: done, status: 'executed' },
      { decision_id: failed, status: 'failed' },
    ])
    const listed = async (outcome: string) => {
      const path = `/v1/decisions?agent_id=${AGENT}&tool=f_*&outcome=${outcome}`
      const { body } = await t.call('GET', path, { token: t.first.api_key })
      return body.decisions.map((one: { decision_id: string }) => one.decision_id)
    }
    expect(await listed('executed')).toEqual([done])
    expect(await listed('failed')).toEqual([failed])
    expect(await listed('none')).toEqual([open])
    expect(await listed('bypassed')).toEqual([])
  })
})
