import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { textOf, VIOLATION } from '#harness/checkpoints.ts'

const POLICY = {
  meta: { schema_version: '1.0', name: 'Refunds', scope: 'agent' },
  capability_mappings: { desk: { tools: ['search', 'refund', 'fetch'], card_actions: ['search'] } },
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
  defaults: { enforcement_mode: 'enforce' },
}
const ORG_POLICY = {
  meta: { schema_version: '1.0', name: 'House rules', scope: 'org' },
  forbidden: [{ pattern: 'shell_*', reason: 'No shell', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp
let key: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
})

const call = async (method: string, path: string, body?: unknown, token = key) => {
  const answer = await t.call(method, path, { token, ...(body === undefined ? {} : { body }) })
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}
const asOwner = async (method: string, path: string, body?: unknown) =>
  call(method, path, body, await t.ownerToken())

async function newAgent(policy: object = POLICY): Promise<string> {
  count += 1
  const agent_id = `repeat-${count}`
  await call('POST', '/v1/agents', { agent_id })
  await call('PUT', `/v1/agents/${agent_id}/policy`, policy)
  // Decisions in the same millisecond as a change are not repeated.
  t.clock.advance(1000)
  return agent_id
}

type Asked = Record<string, unknown>

const decide = (body: Asked, more: { idempotencyKey?: string; token?: string } = {}) =>
  t.call('POST', '/v1/gateway/decide', {
    body,
    headers: {
      authorization: `Bearer ${more.token ?? key}`,
      ...(more.idempotencyKey === undefined ? {} : { 'idempotency-key': more.idempotencyKey }),
    },
  })

/** The two ways to repeat a request, each as a function that sends it. */
const WAYS: [string, (agentId: string, more?: Asked) => () => ReturnType<typeof decide>][] = [
  [
    'with a call_id',
    (agent_id, more = {}) => {
      const asked = { agent_id, tool: 'search', session_id: 's', call_id: 'call-7', ...more }
      return () => decide(asked)
    },
  ],
  [
    'with an Idempotency-Key',
    (agent_id, more = {}) => {
      const idempotencyKey = `key of ${agent_id} ${JSON.stringify(more)}`
      return () =>
        decide({ agent_id, tool: 'search', session_id: 's', ...more }, { idempotencyKey })
    },
  ],
]

const LIMIT = { name: 'few', tools: ['search'], max: 1, per: 'session', reason: 'Few searches' }
const FLOW = { name: 'leak', from: ['fetch'], to: ['search'], reason: 'Searches may leak pages' }

/** Tools that are called before, the answer to the next call, and those to the calls after it. */
const RULED: [
  string,
  { parts: Asked & { defaults?: object }; before: string[]; answers: string[] },
][] = [
  [
    'a limit that warns',
    {
      parts: {
        limits: [
          { ...LIMIT, action: 'warn' },
          { ...LIMIT, name: 'hard', max: 3 },
        ],
      },
      before: ['search'],
      answers: ['warn limit', 'warn limit', 'block limit limit'],
    },
  ],
  [
    'a limit that blocks',
    { parts: { limits: [LIMIT] }, before: ['search'], answers: ['block limit'] },
  ],
  [
    'two limits',
    {
      parts: { limits: [LIMIT, { ...LIMIT, name: 'soft', action: 'warn' }] },
      before: ['search'],
      answers: ['block limit limit'],
    },
  ],
  ['a flow that asks', { parts: { flows: [FLOW] }, before: ['fetch'], answers: ['escalate flow'] }],
  [
    'a flow that blocks, and a limit',
    {
      parts: { flows: [{ ...FLOW, action: 'block' }], limits: [LIMIT] },
      before: ['fetch'],
      answers: ['block flow'],
    },
  ],
  [
    'a number of identical calls',
    {
      parts: { defaults: { max_identical_calls: 2 } },
      before: ['search', 'search'],
      answers: ['escalate loop'],
    },
  ],
]

const codesOf = ({ decision, reasons }: { decision: string; reasons: { code: string }[] }) =>
  [decision, ...reasons.map(({ code }) => code)].join(' ')

const resolve = (escalationId: string, outcome: 'approve' | 'reject') =>
  asOwner('POST', `/v1/escalations/${escalationId}/resolve`, { outcome })

describe.each(WAYS)('a request that is repeated %s', (_, requestOf) => {
  it('gets the same answer, byte for byte, for a minute', async () => {
    const send = requestOf(await newAgent())
    const first = await send()
    expect(first.body).toMatchObject({ decision: 'allow', decision_id: expect.any(String) })
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    t.clock.advance(60_000)
    const second = await send()
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.text).toBe(first.text)
    t.clock.advance(1)
    const third = await send()
    expect(third.headers['idempotency-replayed']).toBeUndefined()
    expect(third.body.decision_id).not.toBe(first.body.decision_id)
    expect((await send()).text).toBe(third.text)
  })

  it('is decided again once the agent is killed', async () => {
    const agentId = await newAgent()
    const send = requestOf(agentId)
    expect((await send()).body.decision).toBe('allow')
    await asOwner('POST', `/v1/orgs/${t.first.org_id}/agents/${agentId}/kill`, { reason: 'Stop' })
    const refused = await send()
    expect(refused).toMatchObject({ status: 403, body: { type: 'containment_error' } })
    expect(refused.headers['idempotency-replayed']).toBeUndefined()
  })

  const CHANGES: [string, (agentId: string) => Promise<unknown>][] = [
    [
      'the agent is paused',
      (id) => asOwner('POST', `/v1/orgs/${t.first.org_id}/agents/${id}/pause`, { reason: 'Look' }),
    ],
    ['its policy changes', (id) => call('PUT', `/v1/agents/${id}/policy`, POLICY)],
    ['its policy is deleted', (id) => t.call('DELETE', `/v1/agents/${id}/policy`, { token: key })],
    [
      'the policy of its organisation changes',
      () => call('PUT', `/v1/orgs/${t.first.org_id}/policy`, ORG_POLICY),
    ],
    [
      'its enforcement mode changes',
      (id) => call('PUT', `/v1/agents/${id}/enforcement`, { mode: 'nudge' }),
    ],
    [
      'a checkpoint puts it on hold',
      async (id) => {
        await call('PUT', `/v1/agents/${id}/enforcement`, { mode: 'enforce' })
        await call('POST', `/v1/agents/${id}/checkpoints`, {
          session_id: 's',
          thinking: textOf(1, VIOLATION),
        })
        await t.settle()
      },
    ],
  ]
  it.each(CHANGES)('is decided again once %s', async (_name, change) => {
    const agentId = await newAgent()
    const send = requestOf(agentId)
    const first = await send()
    t.clock.advance(1000)
    await change(agentId)
    const second = await send()
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect(second.body.decision_id).not.toBe(first.body.decision_id)
  })

  it('waits for its approval, uses it once, and repeats only its own use of it', async () => {
    const agentId = await newAgent()
    const send = requestOf(agentId, { tool: 'refund', arguments: { amount: 60 } })
    const asked = await send()
    expect(asked.body.decision).toBe('escalate')
    expect((await send()).text).toBe(asked.text)
    t.clock.advance(1000)
    await resolve(asked.body.escalation_id, 'approve')
    const allowed = await send()
    expect(allowed.body.decision_id).not.toBe(asked.body.decision_id)
    expect(['allow', 'warn']).toContain(allowed.body.decision)
    const again = await send()
    expect(again.text).toBe(allowed.text)
    expect(again.headers['idempotency-replayed']).toBe('true')
    const other = requestOf(agentId, {
      tool: 'refund',
      arguments: { amount: 60 },
      escalation_id: asked.body.escalation_id,
      ...(requestOf === WAYS[0]?.[1] ? { call_id: 'call-8' } : {}),
    })
    expect((await other()).body.decision).toBe('block')
    t.clock.advance(60_001)
    expect((await send()).body.decision).toBe('escalate')
  })

  it.each(RULED)('gets the same answer under %s and is not counted again', async (_name, rules) => {
    const { parts, before, answers } = rules
    const agentId = await newAgent({
      ...POLICY,
      ...parts,
      meta: { ...POLICY.meta, schema_version: '1.1' },
      defaults: { ...POLICY.defaults, ...parts.defaults },
    })
    for (const tool of before) await decide({ agent_id: agentId, tool, session_id: 's' })
    const send = requestOf(agentId)
    const first = await send()
    expect(codesOf(first.body)).toBe(answers[0])
    t.clock.advance(1000)
    for (const again of [await send(), await send()]) expect(again.text).toBe(first.text)
    const { decisions } = await call('GET', `/v1/decisions?agent_id=${agentId}`)
    expect(decisions).toHaveLength(before.length + 1)
    for (const answer of answers.slice(1)) {
      const { body } = await decide({ agent_id: agentId, tool: 'search', session_id: 's' })
      expect(codesOf(body)).toBe(answer)
    }
  })

  it('repeats the decision that used the approval of a limit', async () => {
    const limit = { ...LIMIT, max: 1, action: 'escalate' }
    const meta = { ...POLICY.meta, schema_version: '1.1' }
    const agentId = await newAgent({ ...POLICY, meta, limits: [limit] })
    await decide({ agent_id: agentId, tool: 'search', session_id: 's' })
    const send = requestOf(agentId)
    const asked = await send()
    expect(codesOf(asked.body)).toBe('escalate limit')
    expect((await send()).text).toBe(asked.text)
    t.clock.advance(1000)
    await resolve(asked.body.escalation_id, 'approve')
    const allowed = await send()
    expect(codesOf(allowed.body)).toBe('allow approved')
    const again = await send()
    expect(again.text).toBe(allowed.text)
  })

  it('repeats the refusal of an approved call that exceeds a limit', async () => {
    const meta = { ...POLICY.meta, schema_version: '1.1' }
    const limits = [{ ...LIMIT, tools: ['refund'], max: 1 }]
    const agentId = await newAgent({ ...POLICY, meta, limits })
    const approved = async (amount: number) => {
      const asked = { agent_id: agentId, tool: 'refund', session_id: 's', arguments: { amount } }
      await resolve((await decide(asked)).body.escalation_id, 'approve')
      return asked
    }
    const { body } = await decide(await approved(1))
    expect(codesOf(body)).toBe('allow approved')
    const send = requestOf(agentId, await approved(2))
    t.clock.advance(1000)
    const blocked = await send()
    expect(codesOf(blocked.body)).toBe('block limit approved')
    expect((await send()).text).toBe(blocked.text)
  })

  it('is decided again once its escalation is rejected', async () => {
    const send = requestOf(await newAgent(), { tool: 'refund' })
    const asked = await send()
    t.clock.advance(1000)
    await resolve(asked.body.escalation_id, 'reject')
    const second = await send()
    expect(second.body.escalation_id).not.toBe(asked.body.escalation_id)
  })
})

describe('a call_id', () => {
  it('with another tool, other arguments, another session or by another key is a new call', async () => {
    const agent_id = await newAgent()
    const asked = { agent_id, tool: 'search', arguments: { q: 1 }, session_id: 's', call_id: '1' }
    const first = await decide(asked)
    const owner = await t.ownerToken()
    const body = { name: 'Other', scopes: ['decide'] }
    const token = (await call('POST', '/v1/api-keys', body, owner)).key
    const others = [
      await decide({ ...asked, tool: 'refund' }),
      await decide({ ...asked, arguments: { q: 2 } }),
      await decide({ ...asked, session_id: 'other' }),
      await decide({ ...asked, session_id: undefined }),
      await decide({ ...asked, call_id: '2' }),
      await decide(asked, { token }),
    ]
    const ids = [first, ...others].map((answer) => answer.body.decision_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect((await decide(asked)).body.decision_id).toBe(first.body.decision_id)
    const { decisions } = await call('GET', `/v1/decisions?agent_id=${agent_id}`)
    expect(decisions).toHaveLength(ids.length)
  })
})

describe('an Idempotency-Key', () => {
  it('with another body is 422, and an error is not repeated', async () => {
    const agent_id = await newAgent()
    const idempotencyKey = 'same'
    await decide({ agent_id, tool: 'search' }, { idempotencyKey })
    const other = await decide({ agent_id, tool: 'refund' }, { idempotencyKey })
    expect(other).toMatchObject({ status: 422, body: { error: 'idempotency_mismatch' } })
    const early = () => decide({ agent_id: 'repeat-early', tool: 'x' }, { idempotencyKey: 'early' })
    expect((await early()).status).toBe(404)
    await call('POST', '/v1/agents', { agent_id: 'repeat-early' })
    expect((await early()).status).toBe(200)
  })
})
