import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { freshDatabaseUrl } from '#harness/database.ts'

const META = { schema_version: '1.1', name: 'shop', scope: 'agent' }
const ENFORCE = { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' }
const FEW = { name: 'few', tools: ['refund'], max: 3, per: 'minute', reason: 'Few refunds' }
const LEAK = {
  name: 'leak',
  from: ['mcp__web__*'],
  to: ['mcp__mail__send'],
  reason: 'Mail may carry what was read from the web',
}

/** Two nodes of one service. */
let nodes: [TestApp, TestApp]
let t: TestApp
let count = 0

beforeAll(async () => {
  const databaseUrl = await freshDatabaseUrl()
  const first = await testApp({ databaseUrl })
  nodes = [first, await testApp({ databaseUrl, clock: first.clock })]
  t = first
})
beforeEach(() => {
  // The start of a minute, so that no test crosses its end.
  t.clock.advance(60_000 - (t.clock.now().getTime() % 60_000))
})

async function agentWith(parts: object): Promise<string> {
  count += 1
  const agentId = `session-${count}`
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: agentId } })
  const body = { meta: META, defaults: ENFORCE, ...parts }
  const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token, body })
  expect(put).toMatchObject({ status: 200 })
  return agentId
}

async function ask(agent_id: string, given: object = {}, node: TestApp = t) {
  const body = { agent_id, tool: 'refund', session_id: 's', ...given }
  const answer = await node.call('POST', '/v1/gateway/decide', { token: t.first.api_key, body })
  expect(answer.status).toBe(200)
  return answer.body
}

const decisions = async (agentId: string, calls: readonly object[]) => {
  const answers: string[] = []
  for (const call of calls) {
    const { decision, reasons } = await ask(agentId, call)
    answers.push([decision, ...reasons.map(({ code }: { code: string }) => code)].join(' '))
  }
  return answers
}

describe('a limit', () => {
  it('lets exactly 3 of 8 calls through that two nodes get at once', async () => {
    const agentId = await agentWith({ limits: [FEW] })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => ask(agentId, { session_id: `s${n}` }, nodes[n % 2])),
    )
    expect(answers.map(({ decision }) => decision).sort()).toEqual([
      ...Array(3).fill('allow'),
      ...Array(5).fill('block'),
    ])
    const blocked = answers.find(({ decision }) => decision === 'block')
    expect(blocked).toMatchObject({
      verdict: 'fail',
      reasons: [
        {
          code: 'limit',
          source: 'policy',
          tool: 'refund',
          message: 'Few refunds (limit agent/few: at most 3 per minute)',
          severity: 'high',
        },
      ],
    })
    // Every answer is stored, whichever it was.
    const listed = await t.call('GET', `/v1/decisions?agent_id=${agentId}`, {
      token: t.first.api_key,
    })
    expect(listed.body.decisions).toHaveLength(8)
    t.clock.advance(60_000)
    expect((await ask(agentId)).decision).toBe('allow')
  })

  it('counts a session, or without one the last 60 minutes of the agent', async () => {
    const agentId = await agentWith({ limits: [{ ...FEW, max: 1, per: 'session' }] })
    const calls = [
      {},
      {},
      { session_id: 't' },
      { session_id: undefined },
      { session_id: undefined },
    ]
    expect(await decisions(agentId, calls)).toEqual([
      'allow',
      'block limit',
      'allow',
      'allow',
      'block limit',
    ])
    t.clock.advance(61 * 60_000)
    expect(await decisions(agentId, [{ session_id: undefined }, {}])).toEqual([
      'allow',
      'block limit',
    ])
  })

  it('only warns if it says so, or if its policy only warns', async () => {
    const soft = { ...FEW, max: 1, action: 'warn' }
    const warned = await agentWith({ limits: [soft, { ...FEW, name: 'hard', max: 2 }] })
    expect(await decisions(warned, [{}, {}, {}])).toEqual([
      'allow',
      'warn limit',
      'block limit limit',
    ])
    const watched = await agentWith({
      limits: [{ ...FEW, max: 1 }],
      defaults: { ...ENFORCE, enforcement_mode: 'warn' },
    })
    expect(await decisions(watched, [{}, {}, {}])).toEqual(['allow', 'warn limit', 'warn limit'])
  })

  it('of the organisation holds beside that of the agent, and tells its layer', async () => {
    const token = t.first.api_key
    const path = `/v1/orgs/${t.first.org_id}/policy`
    const limits = [{ ...FEW, max: 2 }]
    const meta = { ...META, scope: 'org' }
    await t.call('PUT', path, { token, body: { meta, limits, defaults: ENFORCE } })
    const agentId = await agentWith({ limits: [{ ...FEW, max: 1, action: 'warn' }] })
    const resolved = await t.call('GET', `/v1/agents/${agentId}/policy/resolved`, { token })
    expect(resolved.body.resolved_policy).toMatchObject({
      meta: { schema_version: '1.1' },
      limits: [
        { name: 'few', max: 2, layer: 'org' },
        { name: 'few', max: 1, layer: 'agent' },
      ],
    })
    const answers = [await ask(agentId), await ask(agentId), await ask(agentId)]
    expect(answers.map(({ decision }) => decision)).toEqual(['allow', 'warn', 'block'])
    expect(answers[2]?.reasons.map(({ message }: { message: string }) => message)).toEqual([
      'Few refunds (limit org/few: at most 2 per minute)',
      'Few refunds (limit agent/few: at most 1 per minute)',
    ])
    await t.call('DELETE', path, { token })
  })

  it('that blocks an approved call leaves the approval unused', async () => {
    const agentId = await agentWith({
      limits: [{ ...FEW, max: 1 }],
      escalation_triggers: [
        { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
      ],
    })
    const owner = await t.ownerToken()
    const approvedCall = async (amount: number) => {
      const call = { arguments: { amount } }
      const { escalation_id } = await ask(agentId, call)
      const path = `/v1/escalations/${escalation_id}`
      const body = { outcome: 'approve' }
      const approved = await t.call('POST', `${path}/resolve`, { token: owner, body })
      expect(approved.status).toBe(200)
      return { call, path, named: { ...call, escalation_id } }
    }
    const [first, second] = [await approvedCall(1), await approvedCall(2)]
    expect(await ask(agentId, first.call)).toMatchObject({ decision: 'allow' })
    for (const call of [second.call, second.named]) {
      expect(await ask(agentId, call)).toMatchObject({ decision: 'block' })
      expect((await t.call('GET', second.path, { token: owner })).body).toMatchObject({
        status: 'approved',
        uses_left: 1,
        used_at: null,
      })
    }
    t.clock.advance(60_000)
    expect(await ask(agentId, second.call)).toMatchObject({ decision: 'allow' })
  })

  it('that escalates opens an escalation, whose approval lets the call through', async () => {
    const agentId = await agentWith({ limits: [{ ...FEW, max: 1, action: 'escalate' }] })
    expect((await ask(agentId)).decision).toBe('allow')
    const stopped = await ask(agentId)
    expect(stopped).toMatchObject({ decision: 'escalate', reasons: [{ code: 'limit' }] })
    const { escalation_id } = stopped
    const opened = await t.call('GET', `/v1/escalations/${escalation_id}`, {
      token: t.first.api_key,
    })
    expect(opened.body).toMatchObject({
      reason: 'Few refunds (limit agent/few: at most 1 per minute)',
      approvals_required: 1,
    })
    const resolved = await t.call('POST', `/v1/escalations/${escalation_id}/resolve`, {
      token: await t.ownerToken(),
      body: { outcome: 'approve' },
    })
    expect(resolved.body).toMatchObject({ status: 'approved' })
    expect((await ask(agentId, { escalation_id })).decision).toBe('allow')
    expect((await ask(agentId)).decision).toBe('escalate')
  })

  it('that escalates an approved call leaves it to an approval that also lifts the limit', async () => {
    const agentId = await agentWith({
      limits: [{ ...FEW, max: 1, action: 'escalate' }],
      escalation_triggers: [
        { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
      ],
      defaults: { ...ENFORCE, approval: { scopes: ['call', 'session'] } },
    })
    const token = await t.ownerToken()
    const approve = async (call: object, scope: string) => {
      const { escalation_id } = await ask(agentId, call)
      const path = `/v1/escalations/${escalation_id}/resolve`
      const approved = await t.call('POST', path, { token, body: { outcome: 'approve', scope } })
      expect(approved.status, approved.text).toBe(200)
      return escalation_id
    }
    const [first, second] = [{ arguments: { amount: 1 } }, { arguments: { amount: 2 } }]
    await approve(first, 'call')
    expect((await ask(agentId, first)).decision).toBe('allow')
    const narrow = await approve(second, 'call')
    const wide = await approve(second, 'session')
    expect(await ask(agentId, second)).toMatchObject({ decision: 'allow', escalation_id: wide })
    const unused = await t.call('GET', `/v1/escalations/${narrow}`, { token })
    expect(unused.body).toMatchObject({ status: 'approved', uses_left: 1, used_at: null })
  })
})

describe('a flow', () => {
  it('stops its target tools of a session after a source tool was let through', async () => {
    const agentId = await agentWith({ flows: [LEAK] })
    const send = { tool: 'mcp__mail__send' }
    const calls = [send, { tool: 'mcp__web__fetch' }, send, { ...send, session_id: 't' }]
    expect(await decisions(agentId, calls)).toEqual(['allow', 'allow', 'escalate flow', 'allow'])
    expect((await ask(agentId, send, nodes[1])).decision).toBe('escalate')
  })

  it('ends for the session with an approval for the session', async () => {
    const approval = { scopes: ['call', 'session'] }
    const agentId = await agentWith({ flows: [{ ...LEAK, approval }] })
    const send = { tool: 'mcp__mail__send' }
    const fetch = { tool: 'mcp__web__fetch' }
    expect(await decisions(agentId, [fetch])).toEqual(['allow'])
    const { escalation_id } = await ask(agentId, send)
    const resolved = await t.call('POST', `/v1/escalations/${escalation_id}/resolve`, {
      token: await t.ownerToken(),
      body: { outcome: 'approve', scope: 'session', ttl_minutes: 1 },
    })
    expect(resolved.body).toMatchObject({ status: 'approved', scope: 'session' })
    expect(await decisions(agentId, [send])).toEqual(['allow approved'])
    t.clock.advance(60 * 60_000)
    expect(await decisions(agentId, [send, fetch, send])).toEqual(['allow', 'allow', 'allow'])
    const elsewhere = { session_id: 'other' }
    expect(
      await decisions(agentId, [
        { ...fetch, ...elsewhere },
        { ...send, ...elsewhere },
      ]),
    ).toEqual(['allow', 'escalate flow'])
  })

  it('without a session ends after 60 minutes', async () => {
    const agentId = await agentWith({ flows: [{ ...LEAK, action: 'block' }] })
    const send = { tool: 'mcp__mail__send', session_id: undefined }
    const fetch = { tool: 'mcp__web__fetch', session_id: undefined }
    expect(await decisions(agentId, [fetch, send])).toEqual(['allow', 'block flow'])
    t.clock.advance(60 * 60_000)
    expect(await decisions(agentId, [send])).toEqual(['allow'])
  })

  it('is not started by a call that was blocked', async () => {
    const forbidden = [{ pattern: 'mcp__web__*', reason: 'No web', severity: 'high' }]
    const agentId = await agentWith({ flows: [LEAK], forbidden })
    const calls = [{ tool: 'mcp__web__fetch' }, { tool: 'mcp__mail__send' }]
    expect(await decisions(agentId, calls)).toEqual(['block forbidden', 'allow'])
  })
})

describe('identical calls', () => {
  it('escalate after the given number in a session', async () => {
    const agentId = await agentWith({ defaults: { ...ENFORCE, max_identical_calls: 2 } })
    const same = { arguments: { order: 1 } }
    const calls = [same, same, { arguments: { order: 2 } }, same, { ...same, session_id: 't' }]
    expect(await decisions(agentId, calls)).toEqual([
      'allow',
      'allow',
      'allow',
      'escalate loop',
      'allow',
    ])
  })
})

describe('a policy with rules over a session', () => {
  it('needs schema version 1.1', async () => {
    const meta = { ...META, schema_version: '1.0' }
    const body = { meta, limits: [FEW], defaults: { max_identical_calls: 2 } }
    const token = t.first.api_key
    const agentId = await agentWith({})
    const refused = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token, body })
    expect(refused.status).toBe(400)
    expect(refused.body.details.map(({ path }: { path: string }) => path)).toEqual([
      '/limits',
      '/defaults/max_identical_calls',
    ])
    expect(refused.body.details[0].message).toContain('set meta.schema_version to "1.1"')
  })

  it('is refused with 422 if it contradicts itself', async () => {
    const token = t.first.api_key
    const agentId = await agentWith({})
    const refused = await t.call('PUT', `/v1/agents/${agentId}/policy`, {
      token,
      body: { meta: META, limits: [FEW, FEW], defaults: { approval: { roles: [] } } },
    })
    expect(refused.status).toBe(422)
    expect(refused.body.details.map(({ path }: { path: string }) => path)).toEqual([
      '/limits/1/name',
      '/defaults/approval/roles',
    ])
  })
})
