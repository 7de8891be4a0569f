import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

const MINUTE_MS = 60_000

const TRIGGER = { condition: "tool == 'refund'", action: 'escalate', reason: 'Ask' }
const POLICY = {
  meta: { schema_version: '1.1', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['search', 'refund'], card_actions: ['serve'] } },
  escalation_triggers: [{ ...TRIGGER, approval: { scopes: ['call', 'session'] } }],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp
/** A second process on the same database. */
let other: TestApp
let owner: string
let key: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  other = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
  owner = await t.ownerToken()
  key = t.first.api_key
})

type Body = Record<string, unknown>

async function newAgent(policy: object = POLICY): Promise<string> {
  count += 1
  const agentId = `attacked-${count}`
  await t.call('POST', '/v1/agents', { token: key, body: { agent_id: agentId } })
  const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: key, body: policy })
  expect(put.status, put.text).toBeLessThan(300)
  return agentId
}

async function newKey(body: object): Promise<string> {
  const created = await t.call('POST', `/v1/orgs/${t.first.org_id}/api-keys`, {
    token: owner,
    body: { name: 'Attacker', ...body },
  })
  expect(created.status, created.text).toBe(201)
  return created.body.key
}

const JSON_BODY = { 'content-type': 'application/json' }

const decide = (body: object | string, token = key, headers: Record<string, string> = {}, at = t) =>
  at.call('POST', '/v1/gateway/decide', { token, body, headers })

const resolve = (escalationId: string, body: object, token = owner, at = t) =>
  at.call('POST', `/v1/escalations/${escalationId}/resolve`, { token, body })

const report = (decisionId: string, status: string, token = key) =>
  t.call('POST', `/v1/decisions/${decisionId}/outcome`, { token, body: { status } })

const read = async (escalationId: string): Promise<Body> =>
  (await t.call('GET', `/v1/escalations/${escalationId}`, { token: owner })).body

/** A call that was escalated, and its escalation. */
async function escalated(more: object = {}, token = key) {
  const call = {
    agent_id: await newAgent(),
    tool: 'refund',
    session_id: 's-1',
    arguments: { amount: 60 },
    ...more,
  }
  const { body } = await decide(call, token)
  expect(body.decision).toBe('escalate')
  return { call, escalationId: String(body.escalation_id) }
}

async function approved(more: object = {}) {
  const { call, escalationId } = await escalated(more)
  expect((await resolve(escalationId, { outcome: 'approve' })).status).toBe(200)
  return { call, escalationId, named: { ...call, escalation_id: escalationId } }
}

const codesOf = ({ body }: { body: { reasons: { code: string }[] } }) =>
  body.reasons.map(({ code }) => code)

describe('a call that was made', () => {
  it.each([
    ['call_id', { call_id: 'toolu_1' }, {}],
    ['Idempotency-Key', {}, { 'idempotency-key': 'made-once' }],
  ])('does not lend its approval to a second one with the same %s', async (_by, ids, headers) => {
    const { call, escalationId } = await approved(ids)
    const first = await decide(call, key, headers)
    expect(first.body).toMatchObject({ decision: 'allow', escalation_id: escalationId })
    expect((await decide(call, key, headers)).text).toBe(first.text)
    expect((await report(first.body.decision_id, 'executed')).status).toBe(200)
    const second = await decide(call, key, headers)
    expect(second.body).toMatchObject({ decision: 'escalate' })
    expect(second.body.escalation_id).not.toBe(escalationId)
  })

  it('is known in every process, as is its answer until then', async () => {
    const { call, escalationId } = await approved({ call_id: 'toolu_3' })
    const first = await decide(call, key, {}, t)
    expect(first.body).toMatchObject({ decision: 'allow', escalation_id: escalationId })
    const repeated = await Promise.all([decide(call, key, {}, other), decide(call, key, {}, t)])
    expect(repeated.map(({ text }) => text)).toEqual([first.text, first.text])
    await report(first.body.decision_id, 'failed')
    const again = await Promise.all([decide(call, key, {}, other), decide(call, key, {}, t)])
    expect(again.map(({ body }) => body.decision)).toEqual(['escalate', 'escalate'])
  })

  it('is counted by a limit each time it is made, with the same call_id or not', async () => {
    const limits = [{ name: 'few', tools: ['search'], max: 2, per: 'day', reason: 'Few' }]
    const call = {
      agent_id: await newAgent({ ...POLICY, limits }),
      tool: 'search',
      session_id: 's-1',
      call_id: '1',
    }
    const decisions = []
    for (let made = 0; made < 4; made += 1) {
      const { body } = await decide(call)
      decisions.push(body.decision)
      await report(body.decision_id, made === 0 ? 'failed' : 'executed')
    }
    expect(decisions).toEqual(['allow', 'allow', 'block', 'block'])
  })

  it('that was not made after all gets the same answer again', async () => {
    const { call } = await approved({ call_id: 'toolu_2' })
    const first = await decide(call)
    await report(first.body.decision_id, 'not_executed')
    expect((await decide(call)).text).toBe(first.text)
  })
})

describe('a key that may approve', () => {
  it('cannot use an approval that it gave to the question of another key', async () => {
    const approver = await newKey({ role: 'admin', scopes: ['decide', 'approve'] })
    const { call, escalationId } = await escalated()
    expect((await resolve(escalationId, { outcome: 'approve' }, approver)).status).toBe(200)
    expect((await decide(call, approver)).body).toMatchObject({ decision: 'escalate' })
    const named = { ...call, escalation_id: escalationId }
    expect((await decide(named, approver)).body).toMatchObject({ decision: 'block' })
    expect(await read(escalationId)).toMatchObject({ status: 'approved', uses_left: 1 })
    expect((await decide(call)).body).toMatchObject({ decision: 'allow' })
  })

  it('cannot create a key whose questions it could answer', async () => {
    const token = await newKey({ role: 'member', scopes: ['write', 'approve'] })
    const body = { name: 'Sock puppet', scopes: ['decide'], agent_id: await newAgent() }
    const refused = await t.call('POST', '/v1/api-keys', { token, body })
    expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  })

  it('cannot use an approval of a session that it gave to another key', async () => {
    const approver = await newKey({ role: 'admin', scopes: ['decide', 'approve'] })
    const { call, escalationId } = await escalated()
    const answer = { outcome: 'approve', scope: 'session' }
    expect((await resolve(escalationId, answer, approver)).status).toBe(200)
    const mine = { ...call, arguments: { amount: 999_999 } }
    expect((await decide(mine, approver)).body).toMatchObject({ decision: 'escalate' })
    expect((await decide(mine)).body).toMatchObject({ decision: 'allow' })
  })
})

describe('an approval of one call', () => {
  const raw = (agentId: string, args: string) =>
    `{"agent_id":"${agentId}","tool":"refund","session_id":"s-1","arguments":${args}}`

  it.each([
    ['composed and decomposed letters', { to: 'Ren\u00e9' }, { to: 'Rene\u0301' }],
    ['a zero-width space', { to: 'bob' }, { to: 'bo\u200bb' }],
    ['a Cyrillic letter', { to: 'bob' }, { to: 'b\u043eb' }],
    ['fullwidth digits', { to: '60' }, { to: '\uff16\uff10' }],
    ['a number and its text', { amount: 60 }, { amount: '60' }],
    ['null and nothing', { to: null }, {}],
    ['an object in a list', { to: { a: 1 } }, { to: [{ a: 1 }] }],
    ['a key named __proto__', {}, JSON.parse('{"__proto__":{"amount":1}}')],
    ['text after 32 KB', { text: `${'x'.repeat(40_000)}a` }, { text: `${'x'.repeat(40_000)}b` }],
  ])('does not fit arguments that differ by %s', async (_name, asked, made) => {
    const { named, escalationId } = await approved({ arguments: asked })
    const answer = await decide({ ...named, arguments: made })
    expect(answer.body).toMatchObject({ decision: 'block' })
    expect(codesOf(answer)).toContain('approval_mismatch')
    expect(await read(escalationId)).toMatchObject({ uses_left: 1 })
  })

  it.each([
    ['the order of keys', '{"b":2,"a":1}', '{"a":1,"b":2}'],
    ['how a number is written', '{"amount":60}', '{"amount":6.0e1}'],
    ['how a large number is written', '{"amount":6.02e23}', '{"amount":602000000000000000000000}'],
    ['escape sequences', '{"to":"bob"}', '{"\\u0074o":"b\\u006fb"}'],
    ['white space', '{"a":[1,2]}', '{ "a" : [ 1 , 2 ] }'],
  ])('fits arguments that differ only in %s', async (_name, asked, made) => {
    const agentId = await newAgent()
    const { body } = await decide(raw(agentId, asked), key, JSON_BODY)
    await resolve(body.escalation_id, { outcome: 'approve' })
    const answer = await decide(raw(agentId, made), key, JSON_BODY)
    expect(answer.body).toMatchObject({ decision: 'allow' })
  })

  it.each([
    ['an integer that has no exact form', '{"account":9007199254740993}'],
    ['a nested one', '{"accounts":[{"id":-9007199254740993}]}'],
    ['one with a fraction', '{"account":9007199254740993.0}'],
    ['one with an exponent', '{"account":90071992547409930e-1}'],
    ['a number out of range', '{"amount":1e400}'],
    ['duplicate keys', '{"amount":60,"amount":999999}'],
    ['duplicate keys, one of them escaped', '{"amount":60,"\\u0061mount":999999}'],
    ['a lone surrogate', '{"to":"\\ud800"}'],
    ['NUL', '{"to":"\\u0000"}'],
  ])('cannot be asked for with %s', async (_name, args) => {
    const answer = await decide(raw(await newAgent(), args), key, JSON_BODY)
    expect(answer.status, answer.text).toBe(400)
  })
})

describe('an escalation of another agent', () => {
  it('is the same as a missing one for a key that is bound to an agent', async () => {
    const { escalationId } = await escalated()
    const agentId = await newAgent()
    const token = await newKey({ scopes: ['decide'], role: 'member', agent_id: agentId })
    const naming = (escalation_id: string) => ({ agent_id: agentId, tool: 'refund', escalation_id })
    const missing = await decide(naming('esc-missing'), token)
    const foreign = await decide(naming(escalationId), token)
    expect(foreign.status).toBe(404)
    const { request_id: _, ...shown } = foreign.body
    expect(missing.body).toMatchObject(shown)
    const batch = await t.call('POST', '/v1/gateway/decide/batch', {
      token,
      body: { calls: [naming(escalationId)] },
    })
    expect(batch.body.results).toMatchObject([{ status: 404 }])
  })
})

describe('an error that an Idempotency-Key kept', () => {
  it('is not the answer to a repeated call_id', async () => {
    const agent_id = `attacked-late-${count}`
    const call = { agent_id, tool: 'search', call_id: '1' }
    const headers = { 'idempotency-key': 'late' }
    expect((await decide(call, key, headers)).status).toBe(404)
    await t.call('POST', '/v1/agents', { token: key, body: { agent_id } })
    const first = await decide(call)
    expect(first.body).toMatchObject({ decision: expect.any(String) })
    const again = await decide(call, key, headers)
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ decision_id: first.body.decision_id })
  })
})

describe('concurrent answers in two processes', () => {
  it('end an escalation once', async () => {
    const { escalationId } = await escalated()
    const answers = await Promise.all([
      resolve(escalationId, { outcome: 'approve' }, owner, t),
      resolve(escalationId, { outcome: 'reject' }, owner, other),
      resolve(escalationId, { outcome: 'approve' }, owner, other),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  it('of one person count once towards several', async () => {
    const approval = { required: 2 }
    const policy = { ...POLICY, escalation_triggers: [{ ...TRIGGER, approval }] }
    const { escalationId } = await escalated({ agent_id: await newAgent(policy) })
    const approver = await newKey({ role: 'admin', scopes: ['approve'] })
    const answers = await Promise.all([
      resolve(escalationId, { outcome: 'approve' }, owner, t),
      resolve(escalationId, { outcome: 'approve' }, approver, other),
      resolve(escalationId, { outcome: 'approve' }, approver, t),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
    expect(await read(escalationId)).toMatchObject({ status: 'pending' })
  })
})

describe('a rule of two people', () => {
  const orgOf = () => `/v1/orgs/${t.first.org_id}`
  const approve = { outcome: 'approve' }
  const [two, admins] = [{ required: 2 }, {}].map((approval) => ({
    ...POLICY,
    escalation_triggers: [{ ...TRIGGER, approval }],
  }))

  async function admin(name: string) {
    const orgId = t.first.org_id
    const person = await t.newUser(`${name}@attack.example`, { orgId, role: 'admin' })
    const body = { name: 'Approves', role: 'admin', scopes: ['approve'] }
    const made = await t.call('POST', `${orgOf()}/api-keys`, { token: person.token, body })
    expect(made.status, made.text).toBe(201)
    return { ...person, key: String(made.body.key), keyId: String(made.body.key_id) }
  }

  it('is not met by one who rotates the key of another', async () => {
    const { escalationId } = await escalated({ agent_id: await newAgent(two) })
    const second = await admin('rotated')
    expect((await resolve(escalationId, approve)).body.status).toBe('pending')
    const url = `${orgOf()}/api-keys/${second.keyId}/rotate`
    const rotated = await t.call('POST', url, { token: owner, body: {} })
    expect(rotated.status).toBe(403)
    const own = await t.call('POST', url, { token: second.token, body: {} })
    expect(own.status, own.text).toBe(200)
    expect((await resolve(escalationId, approve, own.body.key)).body.status).toBe('approved')
  })

  it.each([
    ['left', 'DELETE', undefined],
    ['lost the role', 'PATCH', { role: 'member' }],
  ])('does not count one who has %s since', async (_, method, body) => {
    const { call, escalationId } = await escalated({ agent_id: await newAgent(two) })
    const gone = await admin(`gone-${method}`)
    expect((await resolve(escalationId, approve, gone.token)).body.status).toBe('pending')
    const url = `${orgOf()}/members/${gone.userId}`
    const changed = await t.call(method, url, { token: owner, ...(body && { body }) })
    expect(changed.status, changed.text).toBeLessThan(300)
    // A key stays valid, but an approval is of a person.
    expect((await resolve(escalationId, approve, gone.key)).status).toBe(403)
    expect((await resolve(escalationId, approve)).body.status).toBe('pending')
    expect((await decide(call)).body.decision).toBe('escalate')
    const third = await admin(`third-${method}`)
    expect((await resolve(escalationId, approve, third.token)).body.status).toBe('approved')
  })

  it('or of one does not take the key of somebody without the role', async () => {
    const { escalationId } = await escalated({ agent_id: await newAgent(admins) })
    const gone = await admin('demoted')
    const url = `${orgOf()}/members/${gone.userId}`
    await t.call('PATCH', url, { token: owner, body: { role: 'member' } })
    expect((await resolve(escalationId, approve, gone.key)).status).toBe(403)
  })
})

describe('people and keys that may not answer', () => {
  it('neither see the arguments nor resolve', async () => {
    const { escalationId } = await escalated()
    const orgId = t.first.org_id
    const people = await Promise.all(
      ['member', 'auditor'].map((role) => t.newUser(`${role}@attack.example`, { orgId, role })),
    )
    const memberKey = await newKey({ role: 'member', scopes: ['read', 'approve'] })
    const readKey = await newKey({ role: 'admin', scopes: ['read', 'write', 'decide'] })
    const boundKey = await newKey({
      role: 'member',
      scopes: ['decide', 'approve'],
      agent_id: await newAgent(),
    })
    const url = `/v1/escalations/${escalationId}`
    for (const token of [...people.map((one) => one.token), memberKey, readKey, boundKey]) {
      const seen = await t.call('GET', url, { token })
      expect(seen.body.arguments ?? null).toBeNull()
      expect((await resolve(escalationId, { outcome: 'approve' }, token)).status).toBeGreaterThan(
        402,
      )
    }
    expect(await read(escalationId)).toMatchObject({ status: 'pending', approvals: [] })
  })
})

describe('a key that is revoked while it waits', () => {
  it('does not get the answer', async () => {
    const { escalationId } = await escalated()
    const url = `/v1/orgs/${t.first.org_id}/api-keys`
    const body = { name: 'Waits', role: 'admin', scopes: ['read', 'approve'] }
    const made = await t.call('POST', url, { token: owner, body })
    const token = String(made.body.key)
    const waiting = t.call('GET', `/v1/escalations/${escalationId}?wait=60`, { token })
    // The request is authenticated long before this.
    await sleep(500)
    await t.call('DELETE', `${url}/${made.body.key_id}`, { token: owner })
    await resolve(escalationId, { outcome: 'approve' })
    expect((await waiting).status).toBe(401)
  })
})

describe('an approval that was given', () => {
  it.each<[string, (agentId: string) => Promise<unknown>, string]>([
    ['its time is over', async () => t.clock.advance(15 * MINUTE_MS), 'escalate'],
    [
      'the policy requires another person',
      (id) => {
        const approval = { required: 2 }
        const body = { ...POLICY, escalation_triggers: [{ ...TRIGGER, approval }] }
        return t.call('PUT', `/v1/agents/${id}/policy`, { token: key, body })
      },
      'escalate',
    ],
    [
      'the policy forbids the tool',
      (id) => {
        const forbidden = [{ pattern: 'refund', reason: 'No', severity: 'critical' }]
        return t.call('PUT', `/v1/agents/${id}/policy`, {
          token: key,
          body: { ...POLICY, capability_mappings: {}, forbidden },
        })
      },
      'block',
    ],
    [
      'the agent is killed',
      (id) =>
        t.call('POST', `/v1/orgs/${t.first.org_id}/agents/${id}/kill`, {
          token: owner,
          body: { reason: 'Stop' },
        }),
      'block',
    ],
  ])('lets nothing through once %s', async (_name, change, decision) => {
    const { call, named, escalationId } = await approved({ call_id: '1' })
    await change(call.agent_id)
    expect((await decide(call)).body).toMatchObject({ decision })
    expect((await decide(named)).body.decision).not.toBe('allow')
    expect(await read(escalationId)).toMatchObject({ uses_left: 1, used_at: null })
  })
})

describe('another organisation', () => {
  it('learns nothing about calls, decisions and approvals', async () => {
    const { call, escalationId } = await escalated({ call_id: 'shared' })
    const stranger = await t.newUser(`stranger-${count}@example.com`)
    const org = await t.call('POST', '/v1/orgs', {
      token: stranger.token,
      body: { name: 'Other', slug: 'other' },
    })
    expect(org.status, org.text).toBe(201)
    const made = await t.call('POST', `/v1/orgs/${org.body.org_id}/api-keys`, {
      token: stranger.token,
      body: { name: 'All', scopes: ['read', 'write', 'decide', 'approve'] },
    })
    const token = String(made.body.key)
    const mine = { agent_id: 'stranger-agent', tool: 'refund' }
    await t.call('POST', '/v1/agents', { token, body: { agent_id: mine.agent_id } })
    const first = await t.call('GET', '/v1/decisions?limit=1', { token: key })
    const ofVictim = first.body.decisions[0].decision_id
    const headers = { 'idempotency-key': 'shared-key' }
    await decide(call, key, headers)
    const asked = [
      await decide(call, token, headers),
      await decide({ ...mine, escalation_id: escalationId }, token),
      await resolve(escalationId, { outcome: 'approve' }, token),
      await resolve(escalationId, { outcome: 'approve' }, stranger.token),
      await t.call('GET', `/v1/escalations/${escalationId}?wait=1`, { token }),
      await t.call('GET', `/v1/decisions/${ofVictim}`, { token }),
      await report(ofVictim, 'executed', token),
    ]
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 404))
    const lists = [
      `/v1/decisions?agent_id=${call.agent_id}`,
      `/v1/decisions?escalation_id=${escalationId}`,
      '/v1/decisions?call_id=shared',
      '/v1/decisions?session_id=s-1',
    ]
    for (const url of lists) {
      expect((await t.call('GET', url, { token })).body.decisions, url).toEqual([])
    }
    const cursor = encodeURIComponent(first.body.next_cursor)
    expect((await t.call('GET', `/v1/decisions?cursor=${cursor}`, { token })).status).toBe(400)
    const stats = await t.call('GET', '/v1/decisions/stats?group_by=agent', { token })
    expect(stats.body.totals).toEqual({})
    const body = { name: 'Spy', scopes: ['decide'], agent_id: call.agent_id }
    expect((await t.call('POST', '/v1/api-keys', { token: stranger.token, body })).status).toBe(404)
  })
})
