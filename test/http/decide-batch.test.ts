import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

const AGENT = 'batch-agent'
const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['shop_*'], card_actions: ['serve'] } },
  forbidden: [{ pattern: 'shop_wipe', reason: 'Nobody wipes', severity: 'critical' }],
  escalation_triggers: [{ condition: 'args.amount > 50', action: 'escalate', reason: 'Much' }],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp

const batch = (calls: unknown, app = t) =>
  app.call('POST', '/v1/gateway/decide/batch', { token: app.first.api_key, body: { calls } })

async function register(app: TestApp): Promise<void> {
  const token = app.first.api_key
  await app.call('POST', '/v1/agents', { token, body: { agent_id: AGENT, name: 'Batch' } })
  await app.call('PUT', `/v1/agents/${AGENT}/policy`, { token, body: POLICY })
}

beforeAll(async () => {
  t = await testApp()
  await register(t)
})

describe('POST /v1/gateway/decide/batch', () => {
  it('answers each call as decide would, in order, and stores all in one transaction', async () => {
    const token = t.first.api_key
    await t.call('POST', '/v1/agents', { token, body: { agent_id: 'held', name: 'Held' } })
    const pause = `/v1/orgs/${t.first.org_id}/agents/held/pause`
    await t.call('POST', pause, { token, body: { reason: 'Look first' } })
    const { status, body } = await batch([
      { agent_id: AGENT, tool: 'shop_read', call_id: 'c-0' },
      { agent_id: AGENT, tool: 'shop_wipe', call_id: 'c-1' },
      { agent_id: 'nobody', tool: 'shop_read' },
      { agent_id: 'held', tool: 'shop_read', call_id: 'c-3' },
      { agent_id: AGENT, tool: 'shop_pay', arguments: { amount: 60 }, call_id: 'c-4' },
    ])
    expect(status).toBe(200)
    expect(body.results).toMatchObject([
      { status: 200, body: { decision: 'allow' } },
      { status: 200, body: { decision: 'block', reasons: [{ code: 'forbidden' }] } },
      { status: 404, body: { error: 'agent_not_found' } },
      { status: 403, body: { error: 'forbidden', decision: 'block', reason: 'agent_paused' } },
      { status: 200, body: { decision: 'escalate', escalation_id: expect.any(String) } },
    ])
    const ids: string[] = []
    const { body: keys } = await t.call('GET', '/v1/keys')
    for (const { body: one } of body.results) {
      if (one.decision_id === undefined) continue
      ids.push(one.decision_id)
      expect(verifyDecisionReceipt(one.receipt, keys.keys).valid).toBe(true)
      expect(one.receipt.batch.size).toBe(4)
      const stored = await t.call('GET', `/v1/decisions/${one.decision_id}`, { token })
      expect(stored.body.receipt).toEqual(one.receipt)
    }
    expect(ids).toHaveLength(4)
    const { rows } = await sql<{ n: number }>`select count(distinct xmin::text)::int as n
      from decision where decision_id = any(${ids.map((id) => id.slice(4))}::uuid[])`.execute(
      t.app.kernel.db,
    )
    expect(rows).toEqual([{ n: 1 }])
  })

  it('is 400 as a whole if one call is invalid, and decides nothing', async () => {
    const good = { agent_id: AGENT, tool: 'shop_read', session_id: 'invalid-batch' }
    for (const calls of [
      undefined,
      [],
      Array.from({ length: 51 }, () => good),
      [good, { agent_id: AGENT }],
      [good, { agent_id: AGENT, tool: 'with space' }],
      [good, { ...good, session_id: 'a b' }],
    ]) {
      const answer = await batch(calls)
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
    const token = t.first.api_key
    const listed = await t.call('GET', '/v1/decisions?session_id=invalid-batch', { token })
    expect(listed.body.decisions).toEqual([])
    const { body } = await batch([good, { agent_id: AGENT, tool: 'with space' }])
    expect(body.details).toMatchObject([{ path: '/calls/1/tool', code: 'pattern' }])
  })

  it('takes 50 calls, and refuses a key that may not decide', async () => {
    const calls = Array.from({ length: 50 }, (_, n) => ({ agent_id: AGENT, tool: `shop_${n}` }))
    const { body } = await batch(calls)
    const tools = body.results.map(
      (one: { body: { receipt: { statement: { tool: string } } } }) =>
        one.body.receipt.statement.tool,
    )
    expect(tools).toEqual(calls.map(({ tool }) => tool))
    const url = '/v1/gateway/decide/batch'
    expect((await t.call('POST', url, { body: { calls } })).status).toBe(401)
  })
})

describe('a batch of an agent with a limit', () => {
  const LIMITED = {
    ...POLICY,
    meta: { ...POLICY.meta, schema_version: '1.1' },
    limits: [{ name: 'few', tools: ['shop_sell'], max: 2, per: 'session', reason: 'Few sales' }],
  }
  const decisionsOf = async (agentId: string, calls: readonly object[]) => {
    const token = t.first.api_key
    await t.call('POST', '/v1/agents', { token, body: { agent_id: agentId } })
    await t.call('PUT', `/v1/agents/${agentId}/policy`, { token, body: LIMITED })
    const { body } = await batch(calls.map((one) => ({ agent_id: agentId, ...one })))
    return body.results.map(({ status, body }: { status: number; body: { decision: string } }) =>
      status === 200 ? body.decision : status,
    )
  }

  it.each([
    ['exceeded beside a forbidden call', { session_id: 's' }, 3, 'shop_wipe', 'block'],
    ['exceeded beside an escalated call', { session_id: 's' }, 3, 'shop_pay', 'escalate'],
    ['in use beside a forbidden call', { session_id: 's' }, 1, 'shop_wipe', 'block'],
    ['without a session, beside a forbidden call', {}, 1, 'shop_wipe', 'block'],
  ])('is decided with the limit %s', async (what, session, sales, tool, stopped) => {
    const sale = { ...session, tool: 'shop_sell' }
    const other = { ...session, tool, arguments: { amount: 60 } }
    const calls = [...Array.from({ length: sales }, () => sale), other]
    const allowed = ['allow', 'allow', 'block'].slice(0, sales)
    expect(await decisionsOf(`limited ${what}`.replaceAll(/[ ,]+/g, '-'), calls)).toEqual([
      ...allowed,
      stopped,
    ])
  })
})

describe('DECISION_DURABILITY=after_answer', () => {
  it('is named by GET /health/ready, and stores allowed calls soon', async () => {
    const late = await testApp({ env: { DECISION_DURABILITY: 'after_answer' } })
    await register(late)
    const ready = await late.call('GET', '/health/ready')
    expect(ready.body.decision_durability).toBe('after_answer')
    const { body } = await batch([{ agent_id: AGENT, tool: 'shop_read' }], late)
    const [answer] = body.results
    expect(answer).toMatchObject({ status: 200, body: { decision: 'allow' } })
    expect(answer.body).not.toHaveProperty('recorded')
    const path = `/v1/decisions/${answer.body.decision_id}`
    await expect
      .poll(async () => (await late.call('GET', path, { token: late.first.api_key })).status)
      .toBe(200)
  })
})
