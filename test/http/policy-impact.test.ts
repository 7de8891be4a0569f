import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let t: TestApp
let key: string
let foreign: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  foreign = await otherOrgKey(t)
})

async function newAgent(): Promise<string> {
  count += 1
  const agentId = `impact-agent-${count}`
  const created = await t.call('POST', '/v1/agents', { token: key, body: { agent_id: agentId } })
  expect(created.status).toBe(201)
  return agentId
}

const traceOf = (agentId: string, tools: string[], daysAgo = 0) => ({
  agent_id: agentId,
  timestamp: new Date(t.clock.nowMs() - daysAgo * DAY_MS - 1000).toISOString(),
  action: { type: 'recommend', name: 'talk', category: 'bounded' },
  decision: { selected: 'a', selection_reasoning: 'It fits best.', values_applied: ['honesty'] },
  escalation: { evaluated: true, required: false, reason: 'nothing due' },
  tools,
})

async function trace(agentId: string, tools: string[], daysAgo = 0): Promise<string> {
  const sent = { token: key, body: traceOf(agentId, tools, daysAgo) }
  const { status, body } = await t.call('POST', '/v1/traces', sent)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.trace_id
}

const rule = (pattern: string) => ({ pattern, reason: 'r', severity: 'high' })
const policy = (parts: object = {}, scope = 'agent') => ({
  meta: { schema_version: '1.0', name: 'draft', scope },
  ...parts,
})
const impact = (body: object, token = key) => t.call('POST', '/v1/policies/impact', { token, body })
const put = (agentId: string, document: object) =>
  t.call('PUT', `/v1/agents/${agentId}/policy`, { token: key, body: document })

describe('the impact of a draft', () => {
  it('lists the calls, tools and agents that change, and how the draft compares', async () => {
    const agent_id = await newAgent()
    await put(agent_id, policy({ forbidden: [rule('shell*')] }))
    const mailed = await trace(agent_id, ['mail_send', 'read'])
    const shelled = await trace(agent_id, ['shell_run'], 2)
    await trace(agent_id, ['mail_send'], 8)
    const draft = policy({ forbidden: [rule('mail_*')] })
    const { status, body } = await impact({ agent_id, policy: draft })
    expect(status).toBe(200)
    const now = t.clock.now()
    expect(body).toEqual({
      org_id: t.first.org_id,
      agent_id,
      days: 7,
      from: new Date(now.getTime() - 7 * DAY_MS).toISOString(),
      to: now.toISOString(),
      relation: 'incomparable',
      relation_reason: null,
      unweighed: [],
      may_loosen: [],
      counterexample: { newly_blocked: 'mail_', newly_allowed: 'shell' },
      traces_evaluated: 2,
      truncated: false,
      newly_failing: 1,
      newly_passing: 1,
      unchanged: 0,
      tools: [
        {
          tool: 'mail_send',
          newly_failing: 1,
          newly_passing: 0,
          unchanged: 0,
          samples: [
            {
              trace_id: mailed,
              agent_id,
              before: 'warn',
              after: 'fail',
              timestamp: new Date(now.getTime() - 1000).toISOString(),
            },
          ],
        },
        {
          tool: 'shell_run',
          newly_failing: 0,
          newly_passing: 1,
          unchanged: 0,
          samples: [
            {
              trace_id: shelled,
              agent_id,
              before: 'fail',
              after: 'warn',
              timestamp: new Date(now.getTime() - 2 * DAY_MS - 1000).toISOString(),
            },
          ],
        },
        { tool: 'read', newly_failing: 0, newly_passing: 0, unchanged: 1, samples: [] },
      ],
      tools_total: 3,
      agents: [{ agent_id, newly_failing: 1, newly_passing: 1, unchanged: 0 }],
      agents_total: 1,
    })
    expect((await impact({ agent_id, policy: draft, days: 30 })).body.traces_evaluated).toBe(3)
  })

  it('stores nothing', async () => {
    const agent_id = await newAgent()
    await trace(agent_id, ['x'])
    await impact({ agent_id, policy: policy({ forbidden: [rule('x')] }) })
    const url = `/v1/agents/${agent_id}`
    expect((await t.call('GET', `${url}/policy`, { token: key })).status).toBe(404)
    const kept = await t.call('GET', `${url}/policy-evaluations`, { token: key })
    expect(kept.body.total).toBe(0)
  })

  it("of an organisation's draft covers all of its agents, merged with their own policies", async () => {
    const [one, other] = [await newAgent(), await newAgent()]
    await put(other, policy({ forbidden: [rule('org_tool')] }))
    await trace(one, ['org_tool'])
    await trace(other, ['org_tool'])
    const draft = policy({ forbidden: [rule('org_tool')] }, 'org')
    const { status, body } = await impact({ policy: draft })
    expect(status).toBe(200)
    expect(body).toMatchObject({ agent_id: null, relation: 'stricter', newly_failing: 1 })
    expect(body.agents[0]).toMatchObject({ agent_id: one, newly_failing: 1 })
    const found = body.tools.find(({ tool }: { tool: string }) => tool === 'org_tool')
    expect(found).toMatchObject({ newly_failing: 1, unchanged: 1 })
  })

  it('pages through all traces with the same timestamp, each once', async () => {
    const agent_id = await newAgent()
    for (const length of [100, 100, 5]) {
      const traces = Array.from({ length }, () => traceOf(agent_id, ['x']))
      const sent = await t.call('POST', '/v1/traces/batch', { token: key, body: { traces } })
      expect(sent.status, sent.text).toBe(200)
    }
    const { body } = await impact({ agent_id, policy: policy({ forbidden: [rule('x')] }) })
    expect(body).toMatchObject({ traces_evaluated: 205, newly_failing: 205 })
  })

  it('is refused for an invalid draft, as writing it would be', async () => {
    const agent_id = await newAgent()
    const shape = await impact({ agent_id, policy: policy({ forbidden: [{}] }) })
    expect(shape.status).toBe(400)
    expect(shape.body.details[0]).toMatchObject({
      path: '/policy/forbidden/0/pattern',
      code: 'required',
    })
    const meaning = await impact({
      agent_id,
      policy: policy({ forbidden: [rule('x'), rule('x')] }),
    })
    expect(meaning.status).toBe(422)
    expect(meaning.body.details[0]).toMatchObject({ code: 'duplicate_rule' })
    const team = await impact({ agent_id, policy: policy({}, 'team') })
    expect(team.body).toMatchObject({ details: [{ code: 'scope_mismatch' }] })
  })

  it("requires an agent for an agent's draft, and none for an organisation's", async () => {
    const agent_id = await newAgent()
    expect((await impact({ policy: policy() })).status).toBe(400)
    expect((await impact({ agent_id, policy: policy({}, 'org') })).status).toBe(400)
    expect((await impact({ agent_id, policy: policy(), days: 31 })).status).toBe(400)
    expect((await impact({ policy: null })).status).toBe(400)
  })

  it("is 404 for an unknown agent and for another organisation's", async () => {
    const unknown = await impact({ agent_id: 'nobody', policy: policy() })
    expect(unknown).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const agent_id = await newAgent()
    const asked = await impact({ agent_id, policy: policy() }, foreign)
    expect(asked).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

describe('warnings about a policy', () => {
  it('list parts that have no effect, when writing and when validating', async () => {
    const agentId = await newAgent()
    const document = policy({ forbidden: [rule('mcp__*'), rule('mcp__shell__*')] })
    const warnings = [
      {
        path: '/forbidden/1',
        code: 'shadowed_rule',
        message: expect.stringContaining('remove it'),
      },
    ]
    expect((await put(agentId, document)).body.warnings).toEqual(warnings)
    const url = `/v1/orgs/${t.first.org_id}/policy`
    const ofOrg = { ...document, meta: { ...document.meta, scope: 'org' } }
    const saved = await t.call('PUT', url, { token: key, body: ofOrg })
    expect(saved.body.warnings).toEqual(warnings)
    const validated = await t.call('POST', '/v1/policies/validate', { token: key, body: ofOrg })
    expect(validated.body).toMatchObject({ valid: true, warnings })
  })
})
