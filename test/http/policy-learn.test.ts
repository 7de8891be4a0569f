import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { commandLine } from '#harness/cli.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let t: TestApp
let key: string
let url: string
let dir: string
let count = 0
const { touchstone, json } = commandLine(() => ({ url, apiKey: key, dir }))

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  dir = await temporaryDir()
})

const post = (path: string, body: object, token = key) => t.call('POST', path, { token, body })
const learn = (body: object, token = key) => post('/v1/policies/learn', body, token)

async function newAgent(policy?: object): Promise<string> {
  count += 1
  const agentId = `learner-${count}`
  await post('/v1/agents', { agent_id: agentId, name: `Learner ${count}` })
  if (policy !== undefined) await put(agentId, policy)
  return agentId
}

async function put(agentId: string, policy: object): Promise<void> {
  const answer = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: key, body: policy })
  expect(answer.status, answer.text).toBe(200)
}

/** A call as a guard makes it: asks, and reports the outcome unless it is null. */
async function call(
  agentId: string,
  tool: string,
  more: object = {},
  outcome: string | null = 'executed',
) {
  const { status, body, text } = await post('/v1/gateway/decide', {
    agent_id: agentId,
    tool,
    ...more,
  })
  expect(status, text).toBe(200)
  if (outcome !== null) {
    const reported = await post(`/v1/decisions/${body.decision_id}/outcome`, { status: outcome })
    expect(reported.status, reported.text).toBe(200)
  }
  // The period excludes its end, and the clock stands still.
  t.clock.advance(1)
  return body
}

async function trace(agentId: string, tools: string[], more: object = {}): Promise<string> {
  const answer = await post('/v1/traces', {
    agent_id: agentId,
    timestamp: new Date(t.clock.nowMs() - 1).toISOString(),
    action: { type: 'recommend', name: 'talk', category: 'bounded' },
    decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
    escalation: { evaluated: true, required: false, reason: 'nothing due' },
    tools,
    ...more,
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.trace_id
}

const CARD = {
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['serve', 'talk'] },
  audit_commitment: { retention_days: 90, queryable: false },
}

const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['shop_*'], card_actions: ['serve'] } },
  forbidden: [{ pattern: 'shop_wipe', reason: 'Nobody wipes', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'shop_refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
  defaults: { enforcement_mode: 'enforce' },
}

describe('learning a policy', () => {
  it('does not learn from the calls of "touchstone connect test", which nobody makes', async () => {
    const agentId = await newAgent(POLICY)
    const test = { session_id: 'touchstone-connect-test' }
    await call(agentId, 'shop_read')
    await call(agentId, 'touchstone_connect_test', test, null)
    await call(agentId, 'shop_wipe', test, null)
    const { body } = await learn({ agent_id: agentId })
    expect(body).toMatchObject({ decisions_counted: 1, ignored: {}, would_have_stopped: [] })
    await call(agentId, 'shop_pack', test)
    expect((await learn({ agent_id: agentId })).body).toMatchObject({ decisions_counted: 2 })
  })

  it('lists what was made and not flagged, with counts, and says what it would have stopped', async () => {
    const agentId = await newAgent(POLICY)
    const granted = await t.call('PUT', `/v1/agents/${agentId}/card`, { token: key, body: CARD })
    expect(granted.status, granted.text).toBe(200)
    await call(agentId, 'shop_read')
    await call(agentId, 'shop_read')
    await call(agentId, 'shop_ship', {}, 'failed')
    await call(agentId, 'shop_pack', {}, null)
    await call(agentId, 'other_read')
    const wiped = await call(agentId, 'shop_wipe', {}, null)
    await trace(agentId, ['shop_read', 'shop_list'])
    const { status, body } = await learn({ agent_id: agentId })
    expect(status).toBe(200)
    const now = t.clock.now()
    expect(body).toMatchObject({
      agent_id: agentId,
      from: new Date(now.getTime() - 7 * DAY_MS).toISOString(),
      to: now.toISOString(),
      decisions_counted: 6,
      traces_counted: 1,
      truncated: false,
      policy: {
        meta: { schema_version: '1.0', scope: 'agent' },
        capability_mappings: {
          shop: { tools: ['shop_list', 'shop_read'], card_actions: ['serve'] },
          tools: { tools: ['other_read'] },
        },
        forbidden: POLICY.forbidden,
        escalation_triggers: POLICY.escalation_triggers,
        defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'block' },
      },
      impact: { agent_id: agentId, traces_evaluated: 1, newly_failing: 0 },
      would_have_stopped_total: 4,
    })
    expect(body.ignored).toEqual({ failed: 1, no_outcome: 1, refused: 1 })
    expect(body.rules).toMatchObject([
      { tool: 'other_read', decisions: 1, traces: 0, effect: 'allow', escalated_by: null },
      { tool: 'shop_list', decisions: 0, traces: 1 },
      { tool: 'shop_read', decisions: 2, traces: 1, path: '/capability_mappings/shop/tools/1' },
    ])
    const stopped = Object.fromEntries(
      body.would_have_stopped.map((one: { tool: string }) => [one.tool, one]),
    )
    expect(Object.keys(stopped).sort()).toEqual([
      'other_read',
      'shop_pack',
      'shop_ship',
      'shop_wipe',
    ])
    // Nothing told which action of the card it belongs to.
    expect(stopped['other_read']).toMatchObject({
      findings: { used: 1 },
      reasons: ['The card does not grant tools'],
    })
    expect(stopped['shop_wipe']).toMatchObject({
      effect: 'block',
      decisions: 1,
      findings: { refused: 1 },
      reasons: expect.arrayContaining(['Nobody wipes']),
      example_decision_id: wiped.decision_id,
    })
  })

  it('gives a policy that can be stored, allows the same calls again and blocks others', async () => {
    const agentId = await newAgent()
    await call(agentId, 'mcp__git__log')
    await call(agentId, 'Read')
    const { body } = await learn({ agent_id: agentId })
    expect((await t.call('GET', `/v1/agents/${agentId}/policy`, { token: key })).status).toBe(404)
    await put(agentId, body.policy)
    expect((await call(agentId, 'mcp__git__log')).decision).toBe('allow')
    expect((await call(agentId, 'Read')).decision).toBe('allow')
    for (const tool of ['mcp__git__push', 'Readme', 'R*']) {
      expect((await call(agentId, tool, {}, null)).decision).toBe('block')
    }
  })

  it('asks a person about what was used only with an approval', async () => {
    const agentId = await newAgent(POLICY)
    const asked = await call(agentId, 'shop_refund', { arguments: { amount: 5 } }, null)
    expect(asked.decision).toBe('escalate')
    const resolved = await t.call('POST', `/v1/escalations/${asked.escalation_id}/resolve`, {
      token: await t.ownerToken(),
      body: { outcome: 'approve' },
    })
    expect(resolved.status, resolved.text).toBe(200)
    const made = await call(agentId, 'shop_refund', { arguments: { amount: 5 } })
    expect(made.reasons).toMatchObject([{ code: 'approved' }])
    const { body } = await learn({ agent_id: agentId })
    expect(body.rules).toMatchObject([{ tool: 'shop_refund', effect: 'escalate', decisions: 1 }])
    expect(body.ignored).toEqual({ refused: 1 })
    const { path } = body.rules[0]
    expect(path).toBe('/capability_mappings/shop/tools/0')
    await put(agentId, body.policy)
    expect((await call(agentId, 'shop_refund', {}, null)).decision).toBe('escalate')
  })

  it('does not learn what the policy in mode warn would have blocked', async () => {
    const agentId = await newAgent({ ...POLICY, defaults: { enforcement_mode: 'warn' } })
    expect((await call(agentId, 'shop_wipe')).decision).toBe('warn')
    await call(agentId, 'shop_read')
    const { body } = await learn({ agent_id: agentId })
    expect(body.policy.capability_mappings.shop.tools).toEqual(['shop_read'])
    expect(body.would_have_stopped).toMatchObject([
      { tool: 'shop_wipe', findings: { would_be_refused: 1 } },
    ])
  })

  it('does not learn from bypasses and from sessions with a violation', async () => {
    const agentId = await newAgent(POLICY)
    await call(agentId, 'shop_read', { session_id: 'night' })
    await call(agentId, 'shop_wipe', { session_id: 'night' })
    await call(agentId, 'shop_list', { session_id: 'day' })
    const { body } = await learn({ agent_id: agentId })
    expect(body.policy.capability_mappings.shop.tools).toEqual(['shop_list'])
    expect(body.ignored).toEqual({ bypassed: 1, flagged_session: 1 })
  })

  it('counts only calls of the period', async () => {
    const agentId = await newAgent()
    await call(agentId, 'old')
    const end = new Date(t.clock.nowMs() + 1000).toISOString()
    t.clock.advance(3 * DAY_MS)
    await call(agentId, 'new')
    t.clock.advance(1000)
    const toolsOf = async (more: object) =>
      (await learn({ agent_id: agentId, ...more })).body.rules.map(
        (rule: { tool: string }) => rule.tool,
      )
    expect(await toolsOf({ days: 2 })).toEqual(['new'])
    expect(await toolsOf({ days: 90 })).toEqual(['new', 'old'])
    expect(await toolsOf({ days: 1, to: end })).toEqual(['old'])
  })

  it('learns from many tools on a worker thread', async () => {
    const agentId = await newAgent()
    const names = Array.from({ length: 210 }, (_, n) => `mcp__git__tool_${n}`)
    for (let first = 0; first < names.length; first += 50) {
      const calls = names.slice(first, first + 50).map((tool) => ({ agent_id: agentId, tool }))
      const { body } = await post('/v1/gateway/decide/batch', { calls })
      const outcomes = body.results.map((one: { body: { decision_id: string } }) => ({
        decision_id: one.body.decision_id,
        status: 'executed',
      }))
      expect((await post('/v1/decisions/outcomes', { outcomes })).status).toBe(200)
    }
    t.clock.advance(1)
    const { status, body, text } = await learn({ agent_id: agentId })
    expect(status, text).toBe(200)
    expect(body.rules.map(({ tool }: { tool: string }) => tool)).toEqual([...names].sort())
    expect(Object.keys(body.policy.capability_mappings)).toEqual(['git', 'git-2'])
    expect(body.would_have_stopped).toEqual([])
  })

  it('suggests nothing if nothing was recorded, or nothing proves a use', async () => {
    const agentId = await newAgent()
    const nothing = { policy: null, rules: [], impact: null, would_have_stopped: [] }
    expect((await learn({ agent_id: agentId })).body).toMatchObject({
      ...nothing,
      message: expect.stringContaining('Nothing was recorded'),
    })
    await call(agentId, 'Read', {}, null)
    expect((await learn({ agent_id: agentId })).body).toMatchObject({
      ...nothing,
      ignored: { no_outcome: 1 },
      message: expect.stringContaining('no_outcome: 1'),
    })
  })

  it('answers about any period that there can be', async () => {
    const agentId = await newAgent()
    for (const to of ['0001-01-01T00:00:00Z', '1970-01-02T00:00:00Z', '9999-12-31T23:59:59Z']) {
      const { status, text, body } = await learn({ agent_id: agentId, days: 90, to })
      expect(status, text).toBe(200)
      expect(body.policy).toBe(null)
    }
  })

  it('does not learn from a trace that only the grace period let through', async () => {
    const agentId = await newAgent({
      ...POLICY,
      defaults: { unmapped_tool_action: 'block', grace_period_hours: 24 },
    })
    await t.call('PUT', `/v1/agents/${agentId}/card`, { token: key, body: CARD })
    t.clock.advance(1000)
    await trace(agentId, ['shop_read'])
    await trace(agentId, ['new_tool'])
    t.clock.advance(1)
    const { body, text } = await learn({ agent_id: agentId })
    expect(
      body.rules.map(({ tool }: { tool: string }) => tool),
      text,
    ).toEqual(['shop_read'])
    expect(body.ignored).toEqual({ failed_policy: 1 })
  })

  it('is refused for unknown agents, those of others, and periods that are too long', async () => {
    const agentId = await newAgent()
    expect(await learn({ agent_id: 'nobody' })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
    expect(await learn({ agent_id: agentId }, await otherOrgKey(t))).toMatchObject({ status: 404 })
    for (const more of [{ days: 0 }, { days: 91 }, { to: 'soon' }]) {
      expect(await learn({ agent_id: agentId, ...more })).toMatchObject({ status: 400 })
    }
  })
})

describe('touchstone policy learn', () => {
  it('prints a policy with counts, which can be validated and applied', async () => {
    const agentId = await newAgent(POLICY)
    await call(agentId, 'shop_read')
    await call(agentId, 'shop_wipe', {}, null)
    const { code, out, err } = await touchstone(`policy learn --agent ${agentId} --days 7`)
    expect(code).toBe(0)
    expect(out).toContain('- shop_read # 1 decision, last ')
    expect(out).toMatch(/# It would have stopped:\n# +shop_wipe: 1 decision \(1 refused\), blocked/)
    expect(err).toContain('The policy allows 1 tool, asks a person about 0 tools')
    const checked = await touchstone('policy validate -', { input: out })
    expect(checked.out).toMatch(/^ok/)
    const applied = await touchstone(`policy apply - --agent ${agentId}`, { input: out })
    expect(applied.code, applied.err).toBe(0)
  })

  it('writes a file and never overwrites one', async () => {
    const agentId = await newAgent()
    await call(agentId, 'Read')
    const file = join(dir, 'learned.yaml')
    const written = await touchstone(`policy learn --agent ${agentId} --out ${file}`)
    expect(written).toMatchObject({ code: 0, out: expect.stringContaining(`Wrote ${file}`) })
    expect(await readFile(file, 'utf8')).toContain('- Read # 1 decision')
    await writeFile(file, 'mine')
    const again = await touchstone(`policy learn --agent ${agentId} --out ${file}`)
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('exists already') })
    expect(await readFile(file, 'utf8')).toBe('mine')
  })

  it('exits with 1 and prints no policy if there is nothing to learn from', async () => {
    const agentId = await newAgent()
    const { code, out } = await touchstone(`policy learn --agent ${agentId}`)
    expect(code).toBe(1)
    expect(out).toContain('Nothing was recorded')
    expect(out).not.toContain('capability_mappings')
    expect(await json(`policy learn --agent ${agentId}`)).toMatchObject({
      code: 1,
      body: { policy: null },
    })
  })
})
