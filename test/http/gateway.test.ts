import { hashCanonical } from '@touchstone/protocol/crypto'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { holding } from '#harness/holding.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const KEPT_MS = 90 * DAY_MS

const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: {
    shop: { tools: ['search', 'refund', 'order'], card_actions: ['serve'] },
  },
  forbidden: [{ pattern: 'shell*', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
    { condition: 'args.amount > 100', action: 'deny', reason: 'Too much' },
  ],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp
let owner: string
let key: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  key = t.first.api_key
})

/** A new agent with the policy above, another one or none. */
async function newAgent(policy: object | null = POLICY): Promise<string> {
  count += 1
  const agentId = `gateway-${count}`
  await t.call('POST', '/v1/agents', { token: key, body: { agent_id: agentId } })
  if (policy !== null) {
    await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: key, body: policy })
  }
  return agentId
}

const decide = (body: object, token: string | undefined = key) =>
  t.call('POST', '/v1/gateway/decide', { token, body })
const read = (escalationId: string, token = key) =>
  t.call('GET', `/v1/escalations/${escalationId}`, { token })
const resolve = (escalationId: string, body: object | string, token = key) =>
  t.call('POST', `/v1/escalations/${escalationId}/resolve`, { token, body })

async function escalated(agentId: string, more: object = {}): Promise<string> {
  const { body } = await decide({ agent_id: agentId, tool: 'refund', ...more })
  expect(body).toMatchObject({
    decision: 'escalate',
    escalation_id: expect.stringMatching(/^esc-/),
  })
  return body.escalation_id
}

describe('a gateway that asks before a call', () => {
  it('is told to go on', async () => {
    const agentId = await newAgent()
    expect(await decide({ agent_id: agentId, tool: 'search' })).toMatchObject({
      status: 200,
      body: {
        decision: 'allow',
        reasons: [],
        verdict: 'pass',
        enforcement_mode: 'enforce',
        agent_enforcement_mode: 'observe',
        policy_version: 1,
        transaction_id: null,
        escalation_id: null,
        notices: [],
        decided_at: '2026-03-01T12:00:00.000Z',
        decision_id: expect.stringMatching(/^dec-/),
        policy_id: expect.stringMatching(/^pol-/),
      },
    })
  })

  it('is told to go on where no policy holds', async () => {
    const agentId = await newAgent(null)
    expect((await decide({ agent_id: agentId, tool: 'anything' })).body).toMatchObject({
      decision: 'allow',
      verdict: null,
      policy_id: null,
      policy_version: null,
      enforcement_mode: 'warn',
    })
  })

  it('is warned, or told not to, and why', async () => {
    const agentId = await newAgent()
    expect((await decide({ agent_id: agentId, tool: 'unknown' })).body).toMatchObject({
      decision: 'warn',
      verdict: 'warn',
      reasons: [{ code: 'unmapped_tool', source: 'policy', tool: 'unknown', severity: null }],
    })
    expect((await decide({ agent_id: agentId, tool: 'shell_run' })).body).toMatchObject({
      decision: 'block',
      verdict: 'fail',
      reasons: [
        {
          code: 'forbidden',
          source: 'policy',
          tool: 'shell_run',
          severity: 'critical',
          message: 'No shell',
        },
      ],
    })
  })

  it('has its arguments judged, and kept nowhere', async () => {
    const agentId = await newAgent()
    const secret = 'Zanzibar-4711'
    const order = (amount: number) =>
      decide({ agent_id: agentId, tool: 'order', arguments: { amount, secret } })
    expect((await order(100)).body.decision).toBe('allow')
    const { body, text } = await order(101)
    expect(body).toMatchObject({ decision: 'block', reasons: [{ message: 'Too much' }] })
    expect(text).not.toContain(secret)
    const tables = await sql<{ name: string }>`
      select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`.execute(
      t.app.kernel.db,
    )
    for (const { name } of tables.rows) {
      const holding = await sql`
        select 1 from ${sql.raw(name)} as r where r::text like ${`%${secret}%`}`.execute(
        t.app.kernel.db,
      )
      expect(holding.rows, name).toEqual([])
    }
  })

  it('sees a change of policy or mode with the next call', async () => {
    const agentId = await newAgent()
    await decide({ agent_id: agentId, tool: 'search' })
    await t.call('PUT', `/v1/agents/${agentId}/enforcement`, {
      token: key,
      body: { mode: 'enforce' },
    })
    const forbidden = [{ pattern: 'search', reason: 'Not now', severity: 'low' }]
    await t.call('PUT', `/v1/agents/${agentId}/policy`, {
      token: key,
      body: { ...POLICY, forbidden },
    })
    expect((await decide({ agent_id: agentId, tool: 'search' })).body).toMatchObject({
      decision: 'warn',
      agent_enforcement_mode: 'enforce',
      policy_version: 2,
    })
  })

  it('gets 400 for what is no call', async () => {
    const agentId = await newAgent()
    const big = { agent_id: agentId, tool: 'search', arguments: { text: 'x'.repeat(32 * 1024) } }
    expect(await decide(big)).toMatchObject({
      status: 400,
      body: { details: [{ path: '/arguments', code: 'too_large' }] },
    })
    for (const wrong of [
      { agent_id: agentId },
      { tool: 'search' },
      { agent_id: agentId, tool: 'two words' },
      { agent_id: agentId, tool: 'search', arguments: ['a'] },
      { agent_id: agentId, tool: 'search', session_id: '' },
    ]) {
      expect(await decide(wrong)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })

  it('gets 413 for what is larger than any call', async () => {
    const body = { agent_id: 'a', tool: 'b', arguments: { text: 'x'.repeat(300 * 1024) } }
    expect(await decide(body)).toMatchObject({ status: 413 })
  })

  it('gets 401 and 403 without the right to ask', async () => {
    const agentId = await newAgent()
    const asked = { agent_id: agentId, tool: 'search' }
    expect((await t.call('POST', '/v1/gateway/decide', { body: asked })).status).toBe(401)
    const auditor = await t.newUser('gateway-auditor@example.com', {
      orgId: t.first.org_id,
      role: 'auditor',
    })
    expect(await decide(asked, auditor.token)).toMatchObject({ status: 403 })
    const member = await t.newUser('gateway-member@example.com', {
      orgId: t.first.org_id,
      role: 'member',
    })
    expect(await decide(asked, member.token)).toMatchObject({ status: 200 })
    const escalationId = await escalated(agentId)
    expect(await resolve(escalationId, { outcome: 'approve' }, member.token)).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    })
    expect(await read(escalationId, auditor.token)).toMatchObject({ status: 200 })
  })

  it('gets 404 for agents it may not ask about, 409 once they are archived', async () => {
    const agentId = await newAgent()
    const asked = { agent_id: agentId, tool: 'search' }
    expect(await decide({ ...asked, agent_id: 'nobody' })).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
    const stranger = await t.newUser('gateway-stranger@example.com')
    await t.call('POST', '/v1/orgs', {
      token: stranger.token,
      body: { name: 'Strangers', slug: 'strangers' },
    })
    expect(await decide(asked, stranger.token)).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
    expect((await decide(asked)).status).toBe(200)
    await t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
    expect(await decide(asked)).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })
})

describe('a call in a transaction', () => {
  it('is held to its list, whatever the policy says', async () => {
    const agentId = await newAgent(null)
    const made = await t.call('POST', '/v1/transactions', {
      token: key,
      body: {
        agent_id: agentId,
        description: 'Refund 1182',
        action_type: 'financial_operation',
        tools: ['search'],
        duration_hours: 1,
      },
    })
    const { transaction_id: transactionId } = made.body
    const asked = { agent_id: agentId, transaction_id: transactionId }
    expect((await decide({ ...asked, tool: 'search' })).body).toMatchObject({
      transaction_id: transactionId,
      receipt: { statement: { transaction_id: transactionId } },
    })
    const byHeader = await t.call('POST', '/v1/gateway/decide', {
      token: key,
      body: { agent_id: agentId, tool: 'order' },
      headers: { 'x-transaction-id': transactionId },
    })
    expect(byHeader.body).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'transaction', source: 'transaction' }],
    })
    const twice = await t.call('POST', '/v1/gateway/decide', {
      token: key,
      body: { ...asked, tool: 'search' },
      headers: { 'x-transaction-id': 'txn-other' },
    })
    expect(twice).toMatchObject({
      status: 400,
      body: { details: [{ path: '/transaction_id', code: 'duplicate' }] },
    })
    const other = await newAgent(null)
    expect(await decide({ ...asked, agent_id: other, tool: 'search' })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
    expect(await decide({ ...asked, transaction_id: 'txn-none', tool: 'search' })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  })
})

describe('a call that is asked about again with one Idempotency-Key', () => {
  it('is another one when it names a transaction in its header', async () => {
    const agentId = await newAgent()
    const ask = (headers: Record<string, string>) =>
      t.call('POST', '/v1/gateway/decide', {
        token: key,
        body: { agent_id: agentId, tool: 'search' },
        headers: { 'idempotency-key': 'call-1', ...headers },
      })
    const first = await ask({})
    expect((await ask({})).body).toEqual(first.body)
    expect(await ask({ 'x-transaction-id': 'txn-1' })).toMatchObject({
      status: 422,
      body: { error: 'idempotency_mismatch' },
    })
  })
})

describe('the receipt of a decision', () => {
  it('is verified with the published keys, and is about this call', async () => {
    const agentId = await newAgent()
    const args = { amount: 20, items: ['b', 'a'] }
    const keys = (await t.call('GET', '/v1/keys')).body.keys
    for (const tool of ['search', 'refund', 'shell']) {
      const { body } = await decide({ agent_id: agentId, tool, arguments: args })
      const verified = verifyDecisionReceipt(body.receipt, keys)
      expect(verified).toMatchObject({
        valid: true,
        statement: {
          decision_id: body.decision_id,
          decision: body.decision,
          agent_id: agentId,
          tool,
          policy_id: body.policy_id,
          policy_version: 1,
          decided_at: body.decided_at,
          escalation_id: body.escalation_id,
          arguments_hash: hashCanonical({ items: ['b', 'a'], amount: 20 }),
        },
      })
      const statement = { ...body.receipt.statement, decision: 'warn' }
      expect(verifyDecisionReceipt({ ...body.receipt, statement }, keys).valid).toBe(false)
    }
    const { body } = await decide({ agent_id: agentId, tool: 'search' })
    expect(body.receipt.statement.arguments_hash).toBeNull()
  })
})

describe('an escalation', () => {
  it('is asked once, and tells what it is about', async () => {
    const agentId = await newAgent()
    const escalationId = await escalated(agentId, { session_id: 'sess-1' })
    expect(await escalated(agentId, { session_id: 'sess-1' })).toBe(escalationId)
    expect(await escalated(agentId)).not.toBe(escalationId)
    const seen = await read(escalationId)
    expect(seen).toMatchObject({ status: 200 })
    const now = t.clock.now()
    expect(seen.body).toEqual({
      escalation_id: escalationId,
      agent_id: agentId,
      tool: 'refund',
      session_id: 'sess-1',
      transaction_id: null,
      reason: 'Refunds are for people',
      status: 'pending',
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + 60 * MINUTE_MS).toISOString(),
      resolved_by: null,
      resolved_at: null,
      note: null,
      used_at: null,
    })
    const told = await sql<{ data: object }>`select data from event
      where type = 'trace.escalation_required' and data #>> '{trace,agent_id}' = ${agentId}
      and data #>> '{trace,session_id}' = 'sess-1'`.execute(t.app.kernel.db)
    expect(told.rows).toMatchObject([
      {
        data: {
          all_events: ['trace.escalation_required'],
          trace: {
            trace_id: null,
            action: null,
            decision: null,
            verification: null,
            escalation: { required: true, reason: 'Refunds are for people', triggered: true },
          },
        },
      },
    ])
  })

  it('that is approved lets one call through and is used then', async () => {
    const agentId = await newAgent()
    const escalationId = await escalated(agentId)
    const retry = () => decide({ agent_id: agentId, tool: 'refund', escalation_id: escalationId })
    expect((await retry()).body).toMatchObject({
      decision: 'escalate',
      escalation_id: escalationId,
    })
    expect(await resolve(escalationId, { outcome: 'approve', note: 'Seen' })).toMatchObject({
      status: 200,
      body: { status: 'approved', note: 'Seen', resolved_by: expect.any(String), used_at: null },
    })
    expect(await resolve(escalationId, { outcome: 'reject' })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })
    expect((await retry()).body).toMatchObject({
      decision: 'warn',
      escalation_id: escalationId,
      receipt: { statement: { decision: 'warn', escalation_id: escalationId } },
    })
    expect((await read(escalationId)).body.used_at).toBe(t.clock.now().toISOString())
    expect((await retry()).body.decision).toBe('block')
    const log = await t.call(
      'GET',
      `/v1/orgs/${t.first.org_id}/audit-log?action=escalation.resolved`,
      { token: owner },
    )
    expect(JSON.stringify(log.body)).toContain(escalationId)
  })

  it('that is rejected blocks', async () => {
    const agentId = await newAgent()
    const escalationId = await escalated(agentId)
    expect((await resolve(escalationId, { outcome: 'reject' })).body.status).toBe('rejected')
    const asked = { agent_id: agentId, tool: 'refund', escalation_id: escalationId }
    expect((await decide(asked)).body).toMatchObject({ decision: 'block' })
    expect(await escalated(agentId)).not.toBe(escalationId)
  })

  it('of another agent or tool is 400, of nobody 404', async () => {
    const [agentId, other] = [await newAgent(), await newAgent()]
    const escalationId = await escalated(agentId)
    const named = { tool: 'refund', escalation_id: escalationId }
    expect(await decide({ ...named, agent_id: other })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', details: [{ path: '/escalation_id' }] },
    })
    expect(await decide({ ...named, agent_id: agentId, tool: 'search' })).toMatchObject({
      status: 400,
    })
    const stranger = await t.newUser('escalation-stranger@example.com')
    await t.call('POST', '/v1/orgs', {
      token: stranger.token,
      body: { name: 'Others', slug: 'others' },
    })
    for (const [id, token] of [
      [escalationId, stranger.token],
      ['esc-none', key],
    ] as const) {
      expect(await read(id, token)).toMatchObject({ status: 404, body: { error: 'not_found' } })
      expect(await resolve(id, { outcome: 'approve' }, token)).toMatchObject({ status: 404 })
      expect(await resolve(id, { outcome: 'maybe' }, token)).toMatchObject({ status: 404 })
      expect(await resolve(id, '{', token)).toMatchObject({ status: 404 })
    }
    expect(await resolve(escalationId, '{')).toMatchObject({ status: 400 })
    expect(await resolve(escalationId, { outcome: 'maybe' })).toMatchObject({ status: 400 })
  })

  it('is found by agent and status, a page at a time', async () => {
    const agentId = await newAgent()
    const first = await escalated(agentId, { session_id: 'a' })
    await resolve(first, { outcome: 'approve' })
    t.clock.advance(1000)
    const second = await escalated(agentId, { session_id: 'b' })
    const list = (query: string) =>
      t.call('GET', `/v1/escalations?agent_id=${agentId}${query}`, { token: key })
    const idsOf = ({ body }: { body: { escalations: { escalation_id: string }[] } }) =>
      body.escalations.map((one) => one.escalation_id)
    expect(idsOf(await list(''))).toEqual([second, first])
    expect(idsOf(await list('&status=pending'))).toEqual([second])
    expect(idsOf(await list('&status=approved'))).toEqual([first])
    const page = await list('&per_page=1&page=2')
    expect(page.body).toMatchObject({ total: 2, page: 2, per_page: 1 })
    expect(idsOf(page)).toEqual([first])
    expect((await list('&status=lost')).status).toBe(400)
  })

  it('expires by the clock, an approval as well', async () => {
    const agentId = await newAgent()
    const [approved, unanswered] = [
      await escalated(agentId, { session_id: 'a' }),
      await escalated(agentId, { session_id: 'b' }),
    ]
    await resolve(approved, { outcome: 'approve' })
    t.clock.advance(15 * MINUTE_MS)
    const retry = async (escalationId: string) =>
      (await decide({ agent_id: agentId, tool: 'refund', escalation_id: escalationId })).body
        .decision
    expect(await retry(approved)).toBe('block')
    expect(await retry(unanswered)).toBe('escalate')
    t.clock.advance(45 * MINUTE_MS)
    expect(await retry(unanswered)).toBe('block')
    expect((await read(unanswered)).body).toMatchObject({ status: 'expired', resolved_at: null })
    expect(await resolve(unanswered, { outcome: 'approve' })).toMatchObject({ status: 409 })
    const expired = await t.call('GET', '/v1/escalations?status=expired', { token: key })
    expect(JSON.stringify(expired.body)).toContain(unanswered)
  })

  it('goes with its agent, or 90 days after its end', async () => {
    const [erased, kept] = [await newAgent(), await newAgent()]
    const ids = [await escalated(erased), await escalated(kept)] as const
    owner = await t.ownerToken()
    await t.call('POST', `/v1/agents/${erased}/erase`, {
      token: owner,
      body: { confirm: erased },
    })
    t.clock.advance(30 * DAY_MS + 1)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    expect([(await read(ids[0])).status, (await read(ids[1])).status]).toEqual([404, 200])
    t.clock.advance(KEPT_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    expect((await read(ids[1])).status).toBe(404)
  })
})

describe('the time a decision may take', () => {
  it('is 250 ms in service: a policy nobody can read by then blocks', async () => {
    t = await testApp({ limited: true })
    key = t.first.api_key
    const agentId = await newAgent()
    const held = await holding(t.databaseUrl, [
      ['lock table policy_version in access exclusive mode'],
    ])
    const decided = decide({ agent_id: agentId, tool: 'search' })
    const failures = async () => {
      const { values } = await t.app.kernel.metrics.policyFailures.get()
      return values.find(({ labels }) => labels['kind'] === 'evaluation')?.value
    }
    // Only now, as what else the decision needs may wait for the connection that waits here.
    await eventually(async () => expect(await failures()).toBe(1))
    await held.rollback()
    expect((await decided).body).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'evaluation_error', source: 'system' }],
    })
  })
})
