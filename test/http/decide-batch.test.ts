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

describe('the flows of a session', () => {
  const LEAK = { name: 'leak', from: ['web'], to: ['mail'], action: 'block', reason: 'Leaks' }
  const FEW = { name: 'few', tools: ['web'], max: 1, per: 'day', reason: 'Few pages' }
  let agents = 0

  async function agentWith(parts: object): Promise<string> {
    agents += 1
    const agent_id = `flow-${agents}`
    const token = t.first.api_key
    await t.call('POST', '/v1/agents', { token, body: { agent_id } })
    const put = await t.call('PUT', `/v1/agents/${agent_id}/policy`, {
      token,
      body: {
        meta: { schema_version: '1.1', name: 'flows', scope: 'agent' },
        defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
        ...parts,
      },
    })
    expect(put).toMatchObject({ status: 200 })
    return agent_id
  }

  type Result = {
    body: { decision: string; decision_id: string; reasons: { code: string }[] }
  }
  const answersOf = (results: Result[]) =>
    results.map(({ body }) => [body.decision, ...body.reasons.map(({ code }) => code)].join(' '))

  async function answers(agent_id: string, calls: readonly (string | object)[]) {
    const { status, body } = await batch(
      calls.map((call) => ({
        agent_id,
        session_id: 's',
        ...(typeof call === 'string' ? { tool: call } : call),
      })),
    )
    expect(status).toBe(200)
    return answersOf(body.results)
  }

  it('count the calls before in the same batch and session, in one transaction', async () => {
    const agent_id = await agentWith({ flows: [LEAK] })
    const other = await agentWith({ flows: [LEAK] })
    const asked = { agent_id, session_id: 's' }
    const { body } = await batch([
      { ...asked, tool: 'mail' },
      { ...asked, tool: 'web' },
      { ...asked, tool: 'mail' },
      { ...asked, session_id: 'other', tool: 'mail' },
      { agent_id, tool: 'mail' },
      { ...asked, agent_id: other, tool: 'mail' },
      { ...asked, tool: 'mail' },
    ])
    expect(answersOf(body.results)).toEqual([
      'allow',
      'allow',
      'block flow',
      'allow',
      'allow',
      'allow',
      'block flow',
    ])
    const ids = body.results.map((one: Result) => one.body.decision_id.slice(4))
    const { rows } = await sql<{ n: number }>`select count(distinct xmin::text)::int as n
      from decision where decision_id = any(${ids}::uuid[])`.execute(t.app.kernel.db)
    expect(rows).toEqual([{ n: 1 }])
    expect(await answers(agent_id, ['mail'])).toEqual(['block flow'])
  })

  it('count calls without a session as well', async () => {
    const agent_id = await agentWith({ flows: [{ ...LEAK, action: 'escalate' }] })
    const calls = [
      { tool: 'web', session_id: undefined },
      { tool: 'mail', session_id: undefined },
    ]
    expect(await answers(agent_id, calls)).toEqual(['allow', 'escalate flow'])
  })

  it('do not count calls that were stopped', async () => {
    const forbidden = [{ pattern: 'web', reason: 'No web', severity: 'high' }]
    const closed = await agentWith({ flows: [LEAK], forbidden })
    expect(await answers(closed, ['web', 'mail'])).toEqual(['block forbidden', 'allow'])
    const limited = await agentWith({ flows: [LEAK], limits: [FEW] })
    expect(await answers(limited, ['web', 'mail'])).toEqual(['allow', 'block flow'])
    // The first time the database finds that the limit is exceeded, then the process knows.
    for (const session_id of ['t', 'u']) {
      const calls = ['web', 'mail', 'mail'].map((tool) => ({ tool, session_id }))
      expect(await answers(limited, calls)).toEqual(['block limit', 'allow', 'allow'])
    }
  })

  it('follow one from another, whatever limits stop', async () => {
    const next = { ...LEAK, name: 'next', from: ['mail'], to: ['post'] }
    const agent_id = await agentWith({ flows: [LEAK, next], limits: [FEW] })
    const calls = ['web', 'mail', 'post']
    expect(await answers(agent_id, calls)).toEqual(['allow', 'block flow', 'allow'])
    const elsewhere = calls.map((tool) => ({ tool, session_id: 't' }))
    expect(await answers(agent_id, elsewhere)).toEqual(['block limit', 'allow', 'block flow'])
  })

  it('leave the last count of a limit to the first of the calls that need it', async () => {
    const rare = { name: 'rare', tools: ['mail', 'note'], max: 1, per: 'day', reason: 'Rarely' }
    const agent_id = await agentWith({ flows: [LEAK], limits: [FEW, rare] })
    expect(await answers(agent_id, ['web'])).toEqual(['allow'])
    const calls = ['web', 'mail', 'note'].map((tool) => ({ tool, session_id: 't' }))
    // The page is over its limit, so mail is allowed and takes the count before the note.
    calls.push({ tool: 'note', session_id: 'u' })
    expect(await answers(agent_id, calls)).toEqual([
      'block limit',
      'allow',
      'block limit',
      'block limit',
    ])
  })
})

describe('a call of a batch that fails', () => {
  it('is an internal error, whose cause is logged with the id of the request', async () => {
    const lines: string[] = []
    const broken = await testApp({ onLogLine: (line) => void lines.push(line) })
    await register(broken)
    const flows = [{ name: 'leak', from: ['shop_web'], to: ['shop_mail'], reason: 'Leaks' }]
    const put = await broken.call('PUT', `/v1/agents/${AGENT}/policy`, {
      token: broken.first.api_key,
      body: { ...POLICY, meta: { ...POLICY.meta, schema_version: '1.1' }, flows },
    })
    expect(put.status).toBe(200)
    await sql`alter table session_counter rename to moved`.execute(broken.app.kernel.db)
    const { status, headers, body } = await batch(
      [
        { agent_id: AGENT, tool: 'shop_read' },
        { agent_id: AGENT, tool: 'shop_mail' },
      ],
      broken,
    )
    expect(status).toBe(200)
    expect(body.results).toMatchObject([
      { status: 200, body: { decision: 'allow' } },
      { status: 500, body: { error: 'internal_error' } },
    ])
    const failed = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'a request failed')
    expect(failed).toMatchObject([
      {
        level: 50,
        request_id: headers['x-request-id'],
        err: { message: expect.stringContaining('session_counter') },
      },
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
