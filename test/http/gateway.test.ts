import { hashCanonical } from '@touchstone/protocol/crypto'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { holdTransaction } from '#harness/held-transaction.ts'

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

/** Creates an agent with the policy above, another one or none. */
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
const resolve = async (escalationId: string, body: object | string, token?: string) =>
  t.call('POST', `/v1/escalations/${escalationId}/resolve`, {
    token: token ?? (await t.ownerToken()),
    body,
  })

async function escalated(agentId: string, more: object = {}): Promise<string> {
  const { body } = await decide({ agent_id: agentId, tool: 'refund', ...more })
  expect(body).toMatchObject({
    decision: 'escalate',
    escalation_id: expect.stringMatching(/^esc-/),
  })
  return body.escalation_id
}

describe('a decision', () => {
  it('allows a call that the policy allows', async () => {
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

  it('allows a call if no policy applies', async () => {
    const agentId = await newAgent(null)
    expect((await decide({ agent_id: agentId, tool: 'anything' })).body).toMatchObject({
      decision: 'allow',
      verdict: null,
      policy_id: null,
      policy_version: null,
      enforcement_mode: 'warn',
    })
  })

  it('warns or blocks, and gives the reasons', async () => {
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

  it('judges the arguments without storing them anywhere', async () => {
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
      const holdTransaction = await sql`
        select 1 from ${sql.raw(name)} as r where r::text like ${`%${secret}%`}`.execute(
        t.app.kernel.db,
      )
      expect(holdTransaction.rows, name).toEqual([])
    }
  })

  it('follows a change of policy or mode with the next call', async () => {
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

  it('is 400 for an invalid call', async () => {
    const agentId = await newAgent()
    const sized = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
    const big = (bytes: number) => ({ agent_id: agentId, tool: 'search', arguments: sized(bytes) })
    expect(await decide(big(1024 * 1024))).toMatchObject({ status: 200 })
    expect(await decide(big(1024 * 1024 + 1))).toMatchObject({
      status: 400,
      body: { details: [{ path: '/arguments', code: 'too_large' }] },
    })
    for (const wrong of [
      { agent_id: agentId },
      { tool: 'search' },
      { agent_id: agentId, tool: 'two words' },
      { agent_id: agentId, tool: 'search', arguments: ['a'] },
      { agent_id: agentId, tool: 'search', session_id: '' },
      { agent_id: agentId, tool: 'search', justification: 'x'.repeat(2001) },
    ]) {
      expect(await decide(wrong)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })

  it('is 413 for a body over the limit', async () => {
    const body = { agent_id: 'a', tool: 'b', arguments: { text: 'x'.repeat(7 * 1024 * 1024) } }
    expect(await decide(body)).toMatchObject({ status: 413 })
  })

  it('is 401 or 403 without permission', async () => {
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

  it('is 404 for agents of others, and 409 once the agent is archived', async () => {
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
  it("may use only the transaction's tools, whatever the policy says", async () => {
    const agentId = await newAgent(null)
    const created = await t.call('POST', '/v1/transactions', {
      token: key,
      body: {
        agent_id: agentId,
        description: 'Refund 1182',
        action_type: 'financial_operation',
        tools: ['search'],
        duration_hours: 1,
      },
    })
    const { transaction_id: transactionId } = created.body
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

describe('a decision requested again with the same Idempotency-Key', () => {
  it('is refused if the second request names a transaction in its header', async () => {
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
  it('verifies with the published keys and is bound to the call', async () => {
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
  it('is created once per session, and describes the call', async () => {
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
      arguments_hash: null,
      arguments_stored: false,
      arguments_truncated: false,
      arguments: null,
      justification: null,
      transaction_id: null,
      decision_id: expect.stringMatching(/^dec-/),
      reason: 'Refunds are for people',
      requested_by: expect.stringMatching(/^key-/),
      rule: { condition: "tool == 'refund'", reason: 'Refunds are for people' },
      approvals_required: 1,
      local: false,
      approval_roles: ['owner', 'admin'],
      approval_scopes: ['call'],
      approvals: [],
      approve_url: `http://localhost:8787/approvals/${escalationId}`,
      status: 'pending',
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + 60 * MINUTE_MS).toISOString(),
      resolved_by: null,
      resolved_at: null,
      note: null,
      scope: null,
      valid_until: null,
      uses_left: null,
      used_at: null,
    })
    const events = await sql<{ data: object }>`select data from event
      where type = 'trace.escalation_required' and data #>> '{trace,agent_id}' = ${agentId}
      and data #>> '{trace,session_id}' = 'sess-1'`.execute(t.app.kernel.db)
    expect(events.rows).toMatchObject([
      {
        data: {
          all_events: ['trace.escalation_required'],
          trace: {
            trace_id: null,
            action: null,
            decision: null,
            verification: null,
            escalation: {
              required: true,
              reason: 'Refunds are for people',
              triggered: true,
              escalation_id: escalationId,
              decision_id: seen.body.decision_id,
              tool: 'refund',
              approve_url: seen.body.approve_url,
            },
          },
        },
      },
    ])
    const decision = await t.call('GET', `/v1/decisions/${seen.body.decision_id}`, { token: key })
    expect(decision.body).toMatchObject({ escalation_id: escalationId, decision: 'escalate' })
  })

  it('that is approved allows one call and is then used up', async () => {
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
      decision: 'allow',
      reasons: [{ code: 'approved', message: expect.stringMatching(/^Approved by user-/) }],
      escalation_id: escalationId,
      receipt: { statement: { decision: 'allow', escalation_id: escalationId } },
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

  it('that is unknown or of another organisation is 404', async () => {
    const agentId = await newAgent()
    const escalationId = await escalated(agentId)
    const asked = { agent_id: agentId, tool: 'refund', escalation_id: 'esc-none' }
    expect(await decide(asked)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const stranger = await t.newUser('escalation-stranger@example.com')
    await t.call('POST', '/v1/orgs', {
      token: stranger.token,
      body: { name: 'Others', slug: 'others' },
    })
    for (const [id, token] of [
      [escalationId, stranger.token],
      ['esc-none', owner],
    ] as const) {
      expect(await read(id, token)).toMatchObject({ status: 404, body: { error: 'not_found' } })
      expect(await resolve(id, { outcome: 'approve' }, token)).toMatchObject({ status: 404 })
      expect(await resolve(id, { outcome: 'maybe' }, token)).toMatchObject({ status: 404 })
      expect(await resolve(id, '{', token)).toMatchObject({ status: 404 })
    }
    expect(await resolve(escalationId, '{')).toMatchObject({ status: 400 })
    expect(await resolve(escalationId, { outcome: 'maybe' })).toMatchObject({ status: 400 })
  })

  it('is listed by agent, tool and status, in pages', async () => {
    const agentId = await newAgent()
    const first = await escalated(agentId, { session_id: 'a' })
    expect((await resolve(first, { outcome: 'approve' })).status).toBe(200)
    t.clock.advance(1000)
    const second = await escalated(agentId, { session_id: 'b' })
    const list = (query: string) =>
      t.call('GET', `/v1/escalations?agent_id=${agentId}${query}`, { token: key })
    const idsOf = ({ body }: { body: { escalations: { escalation_id: string }[] } }) =>
      body.escalations.map((one) => one.escalation_id)
    expect(idsOf(await list(''))).toEqual([second, first])
    expect(idsOf(await list('&status=pending'))).toEqual([second])
    expect(idsOf(await list('&status=approved'))).toEqual([first])
    expect(idsOf(await list('&tool=refund'))).toEqual([second, first])
    expect(idsOf(await list('&tool=refun'))).toEqual([])
    const page = await list('&per_page=1&page=2')
    expect(page.body).toMatchObject({ total: 2, page: 2, per_page: 1 })
    expect(idsOf(page)).toEqual([first])
    expect((await list('&status=lost')).status).toBe(400)
  })

  it('expires by the clock, even if approved', async () => {
    const agentId = await newAgent()
    const [approved, unanswered] = [
      await escalated(agentId, { session_id: 'a' }),
      await escalated(agentId, { session_id: 'b' }),
    ]
    await resolve(approved, { outcome: 'approve' })
    t.clock.advance(15 * MINUTE_MS)
    const retry = async (escalationId: string, session_id: string) => {
      const asked = { agent_id: agentId, tool: 'refund', session_id, escalation_id: escalationId }
      return (await decide(asked)).body.decision
    }
    expect(await retry(approved, 'a')).toBe('block')
    expect(await retry(unanswered, 'b')).toBe('escalate')
    t.clock.advance(45 * MINUTE_MS)
    expect(await retry(unanswered, 'b')).toBe('block')
    owner = await t.ownerToken()
    expect((await read(unanswered)).body).toMatchObject({ status: 'expired', resolved_at: null })
    expect(await resolve(unanswered, { outcome: 'approve' })).toMatchObject({ status: 409 })
    const expired = await t.call('GET', '/v1/escalations?status=expired', { token: key })
    expect(JSON.stringify(expired.body)).toContain(unanswered)
  })

  it('is deleted with its agent, or 90 days after it ends', async () => {
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

describe('the deadline of a decision', () => {
  it('is 250 ms in production: a policy that cannot be read in time blocks the call', async () => {
    t = await testApp({ hasTimeLimit: true })
    key = t.first.api_key
    const agentId = await newAgent()
    const held = await holdTransaction(t.databaseUrl, [
      ['lock table policy_version in access exclusive mode'],
    ])
    const decided = decide({ agent_id: agentId, tool: 'search' })
    const failures = async () => {
      const { values } = await t.app.kernel.metrics.policyFailures.get()
      return values.find(({ labels }) => labels['kind'] === 'evaluation')?.value
    }
    // Released only after the failure, because the decision's other queries may wait for this
    // connection.
    await eventually(async () => expect(await failures()).toBe(1))
    await held.rollback()
    expect((await decided).body).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'evaluation_error', source: 'system' }],
    })
  })
})
