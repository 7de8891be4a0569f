import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['search', 'refund'], card_actions: ['serve'] } },
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
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

async function newAgent(policy: object = POLICY): Promise<string> {
  count += 1
  const agentId = `approved-${count}`
  await t.call('POST', '/v1/agents', { token: key, body: { agent_id: agentId } })
  const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: key, body: policy })
  expect(put.status, put.text).toBeLessThan(300)
  return agentId
}

const decide = (body: object, at = t, token = key) =>
  at.call('POST', '/v1/gateway/decide', { token, body })
const read = (escalationId: string, token = owner) =>
  t.call('GET', `/v1/escalations/${escalationId}`, { token })
const resolve = (escalationId: string, body: object, token = owner) =>
  t.call('POST', `/v1/escalations/${escalationId}/resolve`, { token, body })

async function newKey(body: { role: string; scopes: string[] }): Promise<string> {
  const created = await t.call('POST', `/v1/orgs/${t.first.org_id}/api-keys`, {
    token: owner,
    body,
  })
  expect(created.status, created.text).toBe(201)
  return created.body.key
}

/** A call of a new agent that was escalated. */
async function escalated(more: object = {}) {
  const call = {
    agent_id: await newAgent(),
    tool: 'refund',
    session_id: 's-1',
    arguments: { amount: 60 },
    ...more,
  }
  const { body } = await decide(call)
  expect(body.decision).toBe('escalate')
  return { call, escalationId: String(body.escalation_id) }
}

async function approved() {
  const { call, escalationId } = await escalated()
  expect((await resolve(escalationId, { outcome: 'approve' })).status).toBe(200)
  return { call, escalationId, named: { ...call, escalation_id: escalationId } }
}

const MISMATCH = {
  status: 200,
  body: {
    decision: 'block',
    reasons: expect.arrayContaining([expect.objectContaining({ code: 'approval_mismatch' })]),
  },
}

describe('an approval', () => {
  it.each([
    ['other arguments', { arguments: { amount: 999_999 } }],
    ['another session', { session_id: 's-2' }],
    ['no session', { session_id: undefined }],
    ['another tool', { tool: 'search' }],
  ])('is for one call: %s are blocked and nothing is used up', async (_name, changes) => {
    const { named, escalationId } = await approved()
    expect(await decide({ ...named, ...changes })).toMatchObject(MISMATCH)
    expect((await read(escalationId)).body).toMatchObject({ status: 'approved', used_at: null })
    expect((await decide(named)).body).toMatchObject({ decision: 'allow' })
  })

  it('lifts only the rules that it was given for', async () => {
    const { call, named, escalationId } = await approved()
    const night = { condition: 'args.amount > 50', action: 'escalate', reason: 'Large refund' }
    const escalation_triggers = [...POLICY.escalation_triggers, night]
    await t.call('PUT', `/v1/agents/${call.agent_id}/policy`, {
      token: key,
      body: { ...POLICY, escalation_triggers },
    })
    for (const asked of [call, named]) {
      const { body } = await decide(asked)
      expect(body).toMatchObject({ decision: 'escalate' })
      expect(body.escalation_id).not.toBe(escalationId)
    }
    expect((await read(escalationId)).body).toMatchObject({ status: 'approved', used_at: null })
    const again = await decide(call)
    await resolve(again.body.escalation_id, { outcome: 'approve' })
    expect((await decide(call)).body).toMatchObject({
      decision: 'allow',
      escalation_id: again.body.escalation_id,
    })
  })

  it('that does not fit leaves an equal call to another one that does', async () => {
    const policy = {
      ...POLICY,
      meta: { ...POLICY.meta, schema_version: '1.1' },
      defaults: { ...POLICY.defaults, approval: { scopes: ['call', 'session'] } },
    }
    const large = { condition: 'args.amount > 50', action: 'escalate', reason: 'Large refund' }
    const night = { condition: 'args.amount > 55', action: 'escalate', reason: 'At night' }
    const agentId = await newAgent({
      ...policy,
      escalation_triggers: [...POLICY.escalation_triggers, large],
    })
    const call = {
      agent_id: agentId,
      tool: 'refund',
      session_id: 's-1',
      arguments: { amount: 60 },
    }
    const approve = async (asked: object, scope: string) => {
      const { body } = await decide(asked)
      expect(body.decision).toBe('escalate')
      const answer = await resolve(body.escalation_id, { outcome: 'approve', scope })
      expect(answer.status, answer.text).toBe(200)
      return body.escalation_id
    }
    const narrow = await approve(call, 'call')
    const put = (triggers: object[]) =>
      t.call('PUT', `/v1/agents/${agentId}/policy`, {
        token: key,
        body: { ...policy, escalation_triggers: triggers },
      })
    await put([...POLICY.escalation_triggers, large, night])
    const wide = await approve({ ...call, arguments: { amount: 70 } }, 'session')
    // The approval of the call is found first, but was not given for the night.
    expect((await decide(call)).body).toMatchObject({ decision: 'allow', escalation_id: wide })
    expect((await read(narrow)).body).toMatchObject({ status: 'approved', used_at: null })
    await put([...POLICY.escalation_triggers, large])
    const both = await Promise.all([decide(call, t), decide(call, other)])
    expect(both.map(({ body }) => body.decision)).toEqual(['allow', 'allow'])
    expect(both.map(({ body }) => body.escalation_id).sort()).toEqual([narrow, wide].sort())
  })

  it('is for one agent', async () => {
    const { named } = await approved()
    expect(await decide({ ...named, agent_id: await newAgent() })).toMatchObject(MISMATCH)
  })

  it('allows one of two calls that name it at once in two processes', async () => {
    const { named, escalationId } = await approved()
    const both = await Promise.all([decide(named, t), decide(named, other)])
    const [allowed, blocked] = both
      .map(({ body }) => body)
      .sort((a, b) => String(a.decision).localeCompare(b.decision))
    expect(allowed).toMatchObject({
      decision: 'allow',
      escalation_id: escalationId,
      reasons: [{ code: 'approved', message: expect.stringMatching(/^Approved by user-/) }],
    })
    expect(blocked).toMatchObject({ decision: 'block' })
  })

  it('is used by an equal call that does not name it, in one of two processes', async () => {
    const { call, escalationId } = await approved()
    const both = await Promise.all([decide(call, t), decide(call, other)])
    const decisions = both.map(({ body }) => [body.decision, body.escalation_id === escalationId])
    expect(decisions.sort()).toEqual([
      ['allow', true],
      ['escalate', false],
    ])
  })

  it('does not lift other findings', async () => {
    const { named, call, escalationId } = await approved()
    const deny = { condition: 'args.amount > 50', action: 'deny', reason: 'Not now' }
    const escalation_triggers = [...POLICY.escalation_triggers, deny]
    const put = await t.call('PUT', `/v1/agents/${call.agent_id}/policy`, {
      token: key,
      body: { ...POLICY, escalation_triggers },
    })
    expect(put.status, put.text).toBe(200)
    expect((await decide(named)).body).toMatchObject({ decision: 'block', policy_version: 2 })
    expect((await read(escalationId)).body.used_at).toBeNull()
  })
})

describe('a pending escalation', () => {
  it('is shared by calls with the same session and arguments only', async () => {
    const { call, escalationId } = await escalated()
    expect((await decide(call)).body.escalation_id).toBe(escalationId)
    for (const changes of [{ arguments: { amount: 61 } }, { session_id: 's-2' }]) {
      const { body } = await decide({ ...call, ...changes })
      expect(body).toMatchObject({ decision: 'escalate' })
      expect(body.escalation_id).not.toBe(escalationId)
    }
  })

  it('cannot be resolved by the key that asked, whatever its scopes are', async () => {
    const { call, escalationId } = await escalated()
    const refused = { status: 403, body: { error: 'self_approval' } }
    expect(await resolve(escalationId, { outcome: 'approve' }, key)).toMatchObject(refused)
    const gatewayKey = await newKey({ role: 'member', scopes: ['write'] })
    const asked = await decide({ ...call, session_id: 's-3' }, t, gatewayKey)
    const mine = String(asked.body.escalation_id)
    expect(await resolve(mine, { outcome: 'reject' }, gatewayKey)).toMatchObject(refused)
    expect((await read(mine)).body).toMatchObject({ status: 'pending' })
    expect(await resolve(mine, { outcome: 'approve' })).toMatchObject({ status: 200 })
  })

  it.each([
    ['repeats the call', false],
    ['names it', true],
  ])('belongs to every key that asked, also to one that %s later', async (_how, isNamed) => {
    const { call, escalationId } = await escalated()
    const approver = await newKey({ role: 'admin', scopes: ['decide', 'approve'] })
    const guard = await newKey({ role: 'member', scopes: ['decide'] })
    const stranger = await newKey({ role: 'member', scopes: ['decide'] })
    const asked = isNamed ? { ...call, escalation_id: escalationId } : call
    for (const token of [approver, guard, guard]) {
      expect((await decide(asked, other, token)).body.escalation_id).toBe(escalationId)
    }
    expect((await read(escalationId, guard)).body).toMatchObject({ arguments: null })
    const list = await t.call('GET', '/v1/escalations', { token: guard })
    expect(list.body).toMatchObject({ total: 1, escalations: [{ escalation_id: escalationId }] })
    expect((await read(escalationId, stranger)).status).toBe(404)
    expect((await read(escalationId, approver)).body.arguments).toBeNull()
    expect(await resolve(escalationId, { outcome: 'approve' }, approver)).toMatchObject({
      status: 403,
      body: { error: 'self_approval' },
    })
    expect((await read(escalationId)).body.requested_by).toMatch(/^key-/)
  })

  it('does not belong to a key whose call differs', async () => {
    const { call, escalationId } = await escalated()
    const guard = await newKey({ role: 'member', scopes: ['decide'] })
    const differs = { ...call, arguments: { amount: 61 }, escalation_id: escalationId }
    expect(await decide(differs, t, guard)).toMatchObject(MISMATCH)
    expect((await read(escalationId, guard)).status).toBe(404)
  })
})

describe('the arguments of an escalated call', () => {
  it('are shown to those who can resolve it, and to nobody else', async () => {
    const { call, escalationId } = await escalated({ justification: 'The customer asked' })
    expect((await read(escalationId)).body).toMatchObject({
      arguments: { amount: 60 },
      arguments_stored: true,
      arguments_truncated: false,
      justification: 'The customer asked',
    })
    const member = await t.newUser('args-member@example.com', {
      orgId: t.first.org_id,
      role: 'member',
    })
    const reader = await newKey({ role: 'admin', scopes: ['read'] })
    for (const token of [key, member.token, reader]) {
      expect((await read(escalationId, token)).body).toMatchObject({
        arguments: null,
        arguments_stored: true,
      })
    }
    const approver = await newKey({ role: 'admin', scopes: ['read', 'approve'] })
    expect((await read(escalationId, approver)).body.arguments).toEqual(call.arguments)
    const list = await t.call('GET', '/v1/escalations', { token: owner })
    expect(JSON.stringify(list.body)).not.toContain('"amount"')
  })

  it('are encrypted in the database and deleted 24 hours after the end', async () => {
    const secret = 'Zanzibar-4711'
    const { escalationId } = await escalated({ arguments: { secret } })
    const rows = await sql<{ row: string }>`select e::text as row from escalation e
      where escalation_id = ${escalationId}`.execute(t.app.kernel.db)
    expect(rows.rows).toHaveLength(1)
    expect(rows.rows[0]?.row).not.toContain(secret)
    await resolve(escalationId, { outcome: 'reject' })
    t.clock.advance(24 * HOUR_MS)
    owner = await t.ownerToken()
    const ended = { arguments: null, arguments_stored: false, arguments_hash: expect.any(String) }
    expect((await read(escalationId)).body).toMatchObject(ended)
    t.clock.advance(HOUR_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    const kept = await sql`select 1 from escalation where escalation_id = ${escalationId}
      and arguments_sealed is not null`.execute(t.app.kernel.db)
    expect(kept.rows).toEqual([])
    owner = await t.ownerToken()
  })

  it('are cut after 32 KB and marked so', async () => {
    const { escalationId } = await escalated({ arguments: { text: 'ü'.repeat(40_000) } })
    const { body } = await read(escalationId)
    expect(body).toMatchObject({ arguments_stored: true, arguments_truncated: true })
    expect(body.arguments).toMatch(/^\{"text":"ü+$/)
    expect(Buffer.byteLength(body.arguments)).toBeLessThanOrEqual(32 * 1024)
  })

  it('are never stored with ESCALATION_ARGUMENTS=off', async () => {
    const off = await testApp({
      databaseUrl: t.databaseUrl,
      clock: t.clock,
      env: { ESCALATION_ARGUMENTS: 'off' },
    })
    const call = { agent_id: await newAgent(), tool: 'refund', arguments: { amount: 60 } }
    const { body } = await decide(call, off)
    expect((await read(body.escalation_id)).body).toMatchObject({
      arguments: null,
      arguments_stored: false,
      arguments_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })
})

describe('an answer', () => {
  it('needs a role of the rule and, from a key, the scope approve', async () => {
    const { escalationId } = await escalated()
    const approve = { outcome: 'approve' }
    const refused = { status: 403, body: { error: 'forbidden' } }
    const writer = await newKey({ role: 'admin', scopes: ['read', 'write'] })
    expect(await resolve(escalationId, approve, writer)).toMatchObject(refused)
    const member = await newKey({ role: 'member', scopes: ['approve'] })
    expect(await resolve(escalationId, approve, member)).toMatchObject(refused)
    const auditor = await t.newUser('answer-auditor@example.com', {
      orgId: t.first.org_id,
      role: 'auditor',
    })
    expect(await resolve(escalationId, approve, auditor.token)).toMatchObject(refused)
    const approver = await newKey({ role: 'admin', scopes: ['approve'] })
    expect(await resolve(escalationId, approve, approver)).toMatchObject({
      status: 200,
      body: { status: 'approved', scope: 'call', uses_left: 1, approvals: [{ note: null }] },
    })
  })

  it('has a time to live of 1 to 60 minutes', async () => {
    const { call, escalationId } = await escalated()
    for (const ttl_minutes of [0, 61]) {
      expect(await resolve(escalationId, { outcome: 'approve', ttl_minutes })).toMatchObject({
        status: 400,
      })
    }
    expect(
      (await resolve(escalationId, { outcome: 'approve', ttl_minutes: 1 })).body,
    ).toMatchObject({ valid_until: new Date(t.clock.now().getTime() + MINUTE_MS).toISOString() })
    t.clock.advance(MINUTE_MS)
    expect((await decide({ ...call, escalation_id: escalationId })).body.decision).toBe('block')
  })

  it('cannot cover a session unless the policy allows it, and a rejection has no scope', async () => {
    const { escalationId } = await escalated()
    const session = { outcome: 'approve', scope: 'session' }
    expect(await resolve(escalationId, session)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    const rejected = { outcome: 'reject', scope: 'call' }
    expect(await resolve(escalationId, rejected)).toMatchObject({ status: 400 })
    expect((await read(escalationId)).body.status).toBe('pending')
  })
})

describe('the approval block of a policy', () => {
  const withApproval = (approval: object) => ({
    ...POLICY,
    meta: { ...POLICY.meta, schema_version: '1.1' },
    escalation_triggers: [{ ...POLICY.escalation_triggers[0], approval }],
  })
  const asked = async (approval: object, more: object = {}) => {
    const agent_id = await newAgent(withApproval(approval))
    const call = { agent_id, tool: 'refund', session_id: 's-1', arguments: { amount: 60 }, ...more }
    const { body } = await decide(call)
    expect(body.decision).toBe('escalate')
    return { call, escalationId: String(body.escalation_id) }
  }

  it('can require several people: the same one cannot approve twice', async () => {
    const { call, escalationId } = await asked({ required: 2 })
    const approve = { outcome: 'approve' }
    expect((await resolve(escalationId, approve)).body).toMatchObject({
      status: 'pending',
      approvals_required: 2,
      approvals: [{ by: expect.stringMatching(/^user-/) }],
    })
    for (const again of [approve, { ...approve, scope: 'session' }]) {
      expect(await resolve(escalationId, again)).toMatchObject({
        status: 403,
        body: { error: 'self_approval' },
      })
    }
    const sameOwner = await newKey({ role: 'admin', scopes: ['approve'] })
    expect(await resolve(escalationId, approve, sameOwner)).toMatchObject({ status: 403 })
    expect((await read(escalationId)).body).toMatchObject({ status: 'pending' })
    expect((await decide(call)).body.decision).toBe('escalate')
    const second = await t.newUser('quorum-admin@example.com', {
      orgId: t.first.org_id,
      role: 'admin',
    })
    expect((await resolve(escalationId, approve, second.token)).body).toMatchObject({
      status: 'approved',
      approvals: [{}, { by: second.userId }],
    })
    expect((await decide(call)).body).toMatchObject({
      decision: 'allow',
      reasons: [{ code: 'approved', message: expect.stringContaining(second.userId) }],
    })
  })

  it.each([
    ['more people', { required: 2 }],
    ['other roles', { roles: ['owner'] }],
  ])('holds for calls that were approved before it: %s', async (_name, approval) => {
    const { call, escalationId } = await asked({})
    await resolve(escalationId, { outcome: 'approve' })
    const body = withApproval(approval)
    const put = await t.call('PUT', `/v1/agents/${call.agent_id}/policy`, { token: key, body })
    expect(put.status).toBe(200)
    for (const one of [call, { ...call, escalation_id: escalationId }]) {
      const { body: again } = await decide(one)
      expect(again).toMatchObject({ decision: 'escalate' })
      expect(again.escalation_id).not.toBe(escalationId)
    }
    expect((await read(escalationId)).body).toMatchObject({ uses_left: 1, used_at: null })
    const relaxed = { token: key, body: withApproval({}) }
    await t.call('PUT', `/v1/agents/${call.agent_id}/policy`, relaxed)
    expect((await decide(call)).body).toMatchObject({ decision: 'allow' })
  })

  it('says which roles can approve, and when the escalation expires', async () => {
    const { escalationId } = await asked({ roles: ['member'], expires_minutes: 5 })
    const approve = { outcome: 'approve' }
    expect(await resolve(escalationId, approve)).toMatchObject({ status: 403 })
    expect((await read(escalationId)).body).toMatchObject({
      approval_roles: ['member'],
      arguments: null,
      expires_at: new Date(t.clock.now().getTime() + 5 * MINUTE_MS).toISOString(),
    })
    const member = await t.newUser('role-member@example.com', {
      orgId: t.first.org_id,
      role: 'member',
    })
    expect((await read(escalationId, member.token)).body.arguments).toEqual({ amount: 60 })
    expect(await resolve(escalationId, approve, member.token)).toMatchObject({ status: 200 })
  })

  it('can allow approvals of a session: 100 calls with any arguments', async () => {
    const { call, escalationId } = await asked({ scopes: ['call', 'session'] })
    const session = { outcome: 'approve', scope: 'session', ttl_minutes: 30 }
    expect((await resolve(escalationId, session)).body).toMatchObject({
      scope: 'session',
      uses_left: 100,
    })
    expect((await decide({ ...call, arguments: { amount: 61 } })).body).toMatchObject({
      decision: 'allow',
      escalation_id: escalationId,
    })
    const named = { ...call, arguments: { amount: 62 }, escalation_id: escalationId }
    expect((await decide(named)).body.decision).toBe('allow')
    expect((await decide({ ...call, session_id: 's-2' })).body.decision).toBe('escalate')
    expect((await read(escalationId)).body.uses_left).toBe(98)
    const rest = Array.from({ length: 100 }, (_, amount) =>
      decide({ ...call, arguments: { amount } }, amount % 2 === 0 ? t : other),
    )
    const decisions = (await Promise.all(rest)).map(({ body }) => body.decision)
    expect(decisions.filter((decision) => decision === 'allow')).toHaveLength(98)
    const without = await asked({ scopes: ['call', 'session'] }, { session_id: undefined })
    expect(await resolve(without.escalationId, session)).toMatchObject({ status: 400 })
  })
})

describe('waiting for an answer', () => {
  const wait = (escalationId: string, seconds: number | string) =>
    t.call('GET', `/v1/escalations/${escalationId}?wait=${seconds}`, { token: owner })

  it('ends when somebody answers, in any process', async () => {
    const { escalationId } = await escalated()
    const waiting = wait(escalationId, 60)
    await sleep(50)
    const token = owner
    await other.call('POST', `/v1/escalations/${escalationId}/resolve`, {
      token,
      body: { outcome: 'reject' },
    })
    expect((await waiting).body).toMatchObject({ status: 'rejected' })
    expect((await wait(escalationId, 60)).body).toMatchObject({ status: 'rejected' })
  })

  it('ends after the given time, which is 1 to 60 seconds', async () => {
    const { escalationId } = await escalated()
    const started = performance.now()
    expect((await wait(escalationId, 1)).body).toMatchObject({ status: 'pending' })
    expect(performance.now() - started).toBeGreaterThanOrEqual(990)
    for (const seconds of [0, 61, 'x']) {
      expect((await wait(escalationId, seconds)).status).toBe(400)
    }
  })

  it('is for 100 requests a process; more get the present state at once', async () => {
    const { escalationId } = await escalated()
    const early: string[] = []
    let isAnswered = false
    const waiting = Array.from({ length: 120 }, async () => {
      const { body } = await wait(escalationId, 60)
      if (!isAnswered) early.push(body.status)
      return body.status
    })
    await eventually(async () => expect(early).toHaveLength(20))
    isAnswered = true
    await resolve(escalationId, { outcome: 'approve' })
    const states = await Promise.all(waiting)
    expect(states.filter((status) => status === 'approved')).toHaveLength(100)
    expect(new Set(early)).toEqual(new Set(['pending']))
  })
})
