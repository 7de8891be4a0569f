import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'

const POLICY = {
  meta: { schema_version: '1.1', name: 'Rules', scope: 'agent' },
  capability_mappings: {},
  forbidden: [{ pattern: 'drop_*', reason: 'No tables are dropped', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'People refund' },
  ],
  flows: [{ name: 'leak', from: ['web'], to: ['mail'], action: 'block', reason: 'Mail may leak' }],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
}

let t: TestApp
let provider: PlannedProvider
let service: string
let owner: string

beforeAll(async () => {
  provider = await startPlannedProvider()
  const { url } = provider
  t = await testApp({
    env: {
      MODEL_GATEWAY_UPSTREAMS: JSON.stringify({
        anthropic: url,
        openai: url,
        gemini: url,
        openai_compatible: [url],
      }),
      ESCALATION_HOLD_SECONDS: '1',
    },
  })
  service = await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  onFileFinished(() => t.app.server.server.closeAllConnections())
  owner = await t.ownerToken()
})

let agents = 0

/** A new agent with the policy above, in this mode, and a connection of it. */
async function newAgent({
  mode = 'enforce',
  connection = {},
}: {
  mode?: string
  connection?: object
} = {}) {
  agents += 1
  const agentId = `agent-${agents}`
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await t.call(method, path, { token: owner, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  await call('POST', '/v1/agents', { agent_id: agentId, card: CARD })
  await call('PUT', `/v1/agents/${agentId}/policy`, POLICY)
  await call('PUT', `/v1/agents/${agentId}/enforcement`, { mode, nudge_strategy: 'always' })
  const body = { provider: 'anthropic', ...connection }
  const { token } = await call('POST', `/v1/agents/${agentId}/connections`, body)
  return { agentId, token: String(token) }
}

const ask = async (token: string, body: object = {}, session = 's1') => {
  const answer = await fetch(`${service}/llm/${token}/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-touchstone-session': session },
    body: JSON.stringify({
      model: 'mock-large',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      ...body,
    }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const decisionsOf = async (agentId: string) =>
  (await t.call('GET', `/v1/decisions?agent_id=${agentId}`, { token: owner })).body.decisions
const checkpointsOf = async (agentId: string) =>
  (await t.call('GET', `/v1/agents/${agentId}/checkpoints`, { token: owner })).body.checkpoints

const search = { tool: 'search', input: { q: 'a' }, id: 'call_search' }
const drop = { tool: 'drop_tables', input: { all: true }, id: 'call_drop' }
const refund = { tool: 'refund', input: { amount: 60 }, id: 'call_refund' }

/** A request that continues with the result of a call. */
const resultOf = (id: string, isError = false) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'x', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: 'done', is_error: isError }],
    },
  ],
})

describe.each([true, false])('a turn with stream: %s', (stream) => {
  it('without refused calls comes back byte for byte, and its calls are decided', async () => {
    const { agentId, token } = await newAgent()
    provider.plan({ parts: [{ thinking: textOf(1) }, { text: 'Searching.' }, search] })
    const body = { stream }
    const answered = await ask(token, body)
    const direct = await fetch(`${provider.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mock-large',
        max_tokens: 100,
        ...body,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    })
    expect(answered.text).toBe(await direct.text())
    const [decision] = await decisionsOf(agentId)
    expect(decision).toMatchObject({
      tool: 'search',
      decision: 'allow',
      source: 'model_gateway',
      call_id: 'call_search',
      session_id: 's1',
      enforced: true,
    })
    await expect.poll(() => checkpointsOf(agentId)).toHaveLength(1)
    const [checkpoint] = await checkpointsOf(agentId)
    const detail = await t.call('GET', `/v1/checkpoints/${checkpoint.checkpoint_id}`, {
      token: owner,
    })
    expect(detail.body).toMatchObject({
      provenance: 'observed',
      session_id: 's1',
      provider: 'anthropic',
      model: 'mock-large',
      decision_ids: [decision.decision_id],
    })
    if (!stream) {
      expect(answered.headers.get('x-touchstone-checkpoint')).toBe(checkpoint.checkpoint_id)
      expect(answered.headers.get('x-touchstone-decisions')).toBe('allow=1')
    }
  })

  it('has its refused call replaced by a text', async () => {
    const { agentId, token } = await newAgent()
    provider.plan({ parts: [{ text: 'Dropping.' }, drop] })
    const answered = await ask(token, { stream })
    const [decision] = await decisionsOf(agentId)
    expect(decision).toMatchObject({ decision: 'block', tool: 'drop_tables' })
    expect(answered.text).toContain(
      `Touchstone blocked drop_tables: No tables are dropped (${decision.decision_id})`,
    )
    expect(answered.text).not.toContain('tool_use')
    expect(answered.text).toContain('end_turn')
    await expect.poll(() => checkpointsOf(agentId)).toHaveLength(1)
    const usage = await t.call('GET', `/v1/agents/${agentId}/model-usage`, { token: owner })
    expect(usage.body.days).toMatchObject([
      { model: 'mock-large', turns: 1, tool_calls: 1, blocked: 1, input_tokens: 120 },
    ])
    for (const interval of ['hour', 'day']) {
      const path = `/v1/orgs/${t.first.org_id}/model-usage?interval=${interval}`
      const { body } = await t.call('GET', path, { token: owner })
      expect(body.interval).toBe(interval)
      expect(body.buckets.at(-1).turns).toBeGreaterThanOrEqual(1)
      expect(body.buckets.at(-1).blocked).toBeGreaterThanOrEqual(1)
    }
    const long = `/v1/orgs/${t.first.org_id}/model-usage?interval=hour&from=2020-01-01T00:00:00Z`
    expect(await t.call('GET', long, { token: owner })).toMatchObject({ status: 400 })
  })

  it('keeps the calls that are let through beside a refused one', async () => {
    const { token } = await newAgent()
    provider.plan({ parts: [search, drop, { ...search, id: 'call_2' }] })
    const answered = await ask(token, { stream })
    expect(answered.text).toContain('call_search')
    expect(answered.text).toContain('call_2')
    expect(answered.text).not.toContain('call_drop')
    expect(answered.text).toContain('"stop_reason":"tool_use"')
  })

  it('has its calls decided in their order by the flows of the session', async () => {
    const { agentId, token } = await newAgent()
    const mail = { tool: 'mail', input: {} }
    const parts = [
      { ...mail, id: 'call_1' },
      { tool: 'web', input: {}, id: 'call_2' },
      { ...mail, id: 'call_3' },
    ]
    provider.plan({ parts })
    await ask(token, { stream })
    const decided = (await decisionsOf(agentId)).map(
      ({ call_id, decision }: Record<string, string>) => `${call_id} ${decision}`,
    )
    expect(decided.sort()).toEqual(['call_1 allow', 'call_2 allow', 'call_3 block'])
  })

  it('decides a thousand calls with equal ids', async () => {
    const { agentId, token } = await newAgent()
    const parts = Array.from({ length: 1000 }, (_, n) => (n === 500 ? drop : search))
    provider.plan({ parts })
    const answered = await ask(token, { stream })
    expect(answered.text.match(/"name":"search"/g)).toHaveLength(999)
    expect(answered.text).not.toContain('call_drop')
    const ids = (await decisionsOf(agentId)).map((one: { call_id: string }) => one.call_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has calls with unreadable arguments refused where anything is enforced', async () => {
    const parts = [{ tool: 'search', input: [1, 2], id: 'odd' }]
    for (const [mode, policyMode, decided] of [
      ['enforce', 'warn', 'block'],
      ['nudge', 'enforce', 'block'],
      ['nudge', 'warn', 'warn'],
    ]) {
      const { agentId, token } = await newAgent({ mode: String(mode) })
      const body = { ...POLICY, defaults: { ...POLICY.defaults, enforcement_mode: policyMode } }
      const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: owner, body })
      expect(put.status).toBe(200)
      provider.plan({ parts })
      await ask(token, { stream })
      expect(await decisionsOf(agentId)).toMatchObject([
        {
          decision: decided,
          arguments_hash: null,
          reasons: [{ code: 'unreadable_arguments', source: 'system' }],
        },
      ])
    }
  })

  it('is held until a person approves the call', async () => {
    const { agentId, token } = await newAgent()
    provider.plan({ parts: [refund] })
    const asked = ask(token, { stream })
    await expect.poll(() => decisionsOf(agentId)).toHaveLength(1)
    const [{ escalation_id }] = await decisionsOf(agentId)
    await t.call('POST', `/v1/escalations/${escalation_id}/resolve`, {
      token: owner,
      body: { outcome: 'approve' },
    })
    const answered = await asked
    expect(answered.text).toContain('call_refund')
    const decided = await decisionsOf(agentId)
    expect(decided.map((one: { decision: string }) => one.decision)).toEqual(['allow', 'escalate'])
  })

  it('names the page of the approval when nobody answers in time', async () => {
    const { agentId, token } = await newAgent()
    provider.plan({ parts: [refund] })
    const answered = await ask(token, { stream })
    const [{ escalation_id, decision_id }] = await decisionsOf(agentId)
    expect(answered.text).toContain(`/approvals/${escalation_id} (${decision_id})`)
    await t.call('POST', `/v1/escalations/${escalation_id}/resolve`, {
      token: owner,
      body: { outcome: 'approve' },
    })
    const again = await ask(token, { stream })
    expect(again.text).toContain('call_refund')
  })

  it('has a call refused if its thinking is a violation, in mode enforce', async () => {
    const { agentId, token } = await newAgent()
    provider.plan({ parts: [{ thinking: textOf(2, VIOLATION) }, search] })
    const answered = await ask(token, { stream })
    expect(answered.text).not.toContain('tool_use')
    expect(await decisionsOf(agentId)).toMatchObject([
      { decision: 'block', reasons: [{ code: 'integrity_hold' }] },
    ])
    await expect
      .poll(() => checkpointsOf(agentId))
      .toMatchObject([{ verdict: 'boundary_violation' }])
  })

  it('stays as it is in mode observe of the connection', async () => {
    const { agentId, token } = await newAgent({ connection: { mode: 'observe' } })
    provider.plan({ parts: [drop] })
    expect((await ask(token, { stream })).text).toContain('call_drop')
    await expect
      .poll(() => decisionsOf(agentId))
      .toMatchObject([{ decision: 'block', enforced: false }])
  })
})

describe('the outcome of a call', () => {
  it.each([
    [false, 'executed'],
    [true, 'failed'],
  ])('is read from its result (is_error: %s)', async (isError, status) => {
    const { agentId, token } = await newAgent()
    provider.plan({ parts: [search] }, { parts: [{ text: 'Found.' }] })
    await ask(token)
    await ask(token, resultOf('call_search', isError))
    await expect.poll(() => decisionsOf(agentId)).toMatchObject([{ outcome: { status } }])
  })

  it('is a bypass if the call was refused', async () => {
    const { agentId, token } = await newAgent()
    provider.plan({ parts: [drop] }, { parts: [{ text: 'Done.' }] })
    await ask(token)
    await ask(token, resultOf('call_drop'))
    const bypassed = `/v1/decisions?agent_id=${agentId}&outcome=bypassed`
    await expect
      .poll(async () => (await t.call('GET', bypassed, { token: owner })).body.decisions)
      .toHaveLength(1)
  })

  it('is not taken from another session or agent', async () => {
    const { agentId, token } = await newAgent()
    const other = await newAgent()
    provider.plan({ parts: [search] }, { parts: [{ text: 'Found.' }] })
    await ask(token)
    await ask(token, resultOf('call_search'), 's2')
    await ask(other.token, resultOf('call_search'))
    await sleep(50)
    expect(await decisionsOf(agentId)).toMatchObject([{ outcome: null }])
  })
})

describe('a contained agent', () => {
  const pause = (agentId: string) =>
    t.call('POST', `/v1/orgs/${t.first.org_id}/agents/${agentId}/pause`, {
      token: owner,
      body: { reason: 'A look at it.' },
    })

  it('is refused in the shape of the provider, on every route', async () => {
    const { agentId, token } = await newAgent()
    await pause(agentId)
    provider.plan({ parts: [search] })
    const answered = await ask(token)
    expect(answered.status).toBe(403)
    expect(JSON.parse(answered.text)).toMatchObject({
      type: 'error',
      error: { type: 'permission_error' },
    })
    const path = `${service}/llm/${token}/anthropic/v1/messages/count_tokens`
    expect((await fetch(path, { method: 'POST', body: '{}' })).status).toBe(403)
    expect(provider.requests).toEqual([])
  })

  it.each([true, false])('gets a turn that says so, if wanted (stream: %s)', async (stream) => {
    const { agentId, token } = await newAgent({ connection: { on_contained: 'turn' } })
    await pause(agentId)
    const answered = await ask(token, { stream })
    expect(answered.status).toBe(200)
    expect(answered.text).toContain(`agent ${agentId} is paused`)
    expect(answered.text).toContain('end_turn')
  })
})

describe('a nudge', () => {
  it('is appended to the last user message, once', async () => {
    const { agentId, token } = await newAgent({ mode: 'nudge' })
    provider.plan({ parts: [{ thinking: textOf(3, VIOLATION) }, { text: 'Yes.' }] })
    await ask(token)
    await expect.poll(() => checkpointsOf(agentId)).toHaveLength(1)
    provider.plan({ parts: [search] })
    await ask(token)
    const [nudged] = provider.requests
    expect(JSON.stringify(nudged?.body['messages'])).toContain('Touchstone: ')
    provider.plan({ parts: [search] })
    await ask(token)
    expect(JSON.stringify(provider.requests[0]?.body['messages'])).not.toContain('Touchstone: ')
  })
})

describe('short turns', () => {
  it('are gathered until they are worth a checkpoint', async () => {
    const { agentId, token } = await newAgent()
    for (let n = 0; n < 4; n += 1) {
      const input = { q: `${'word '.repeat(20)}${n}` }
      provider.plan({ parts: [{ text: 'I look it up.' }, { ...search, input, id: `call_${n}` }] })
      await ask(token)
    }
    await expect.poll(async () => (await checkpointsOf(agentId)).length).toBeGreaterThan(0)
    const checkpoints = await checkpointsOf(agentId)
    expect(checkpoints.length).toBeLessThan(4)
    for (const one of checkpoints) expect(one.synthetic).toBe(false)
  })
})
