import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { textOf } from '#harness/checkpoints.ts'
import { type DocumentedRoute, documentedRoutes } from '#harness/documented-routes.ts'
import { SCOPES } from '../../packages/server/src/access.ts'

const OWN = 'bound-own'
const OTHER = 'bound-other'
const POLICY = {
  meta: { schema_version: '1.0', name: 'Refunds', scope: 'agent' },
  capability_mappings: { desk: { tools: ['search', 'refund'], card_actions: ['search'] } },
  escalation_triggers: [{ condition: "tool == 'refund'", action: 'escalate', reason: 'Ask' }],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp
let org: string
let owner: string
let first: string
/** Bound to OWN, with every scope and the highest role. */
let bound: string
/** Ids of resources of OTHER. */
const ids: Record<string, string> = {}
let routes: DocumentedRoute[]

beforeAll(async () => {
  t = await testApp()
  org = t.first.org_id
  owner = await t.ownerToken()
  first = t.first.api_key
  for (const agentId of [OWN, OTHER]) {
    await call('POST', '/v1/agents', { agent_id: agentId })
    await call('PUT', `/v1/agents/${agentId}/policy`, POLICY)
  }
  bound = (await createKey({ agent_id: OWN, scopes: [...SCOPES] })).body.key
  const decided = await call('POST', '/v1/gateway/decide', { agent_id: OTHER, tool: 'refund' })
  ids['decision_id'] = decided.body.decision_id
  ids['escalation_id'] = decided.body.escalation_id
  const trace = await call('POST', '/v1/traces', traceOf(OTHER))
  ids['trace_id'] = trace.body.trace_id
  const checkpoint = await call('POST', `/v1/agents/${OTHER}/checkpoints`, { thinking: textOf(1) })
  ids['checkpoint_id'] = checkpoint.body.checkpoint.checkpoint_id
  const risk = await call('POST', '/v1/risk/assess', {
    agent_id: OTHER,
    context: { action_type: 'data_access', use_case: 'A test' },
  })
  ids['assessment_id'] = risk.body.assessment_id
  const transaction = await call('POST', '/v1/transactions', {
    agent_id: OTHER,
    description: 'Refund 1182',
    action_type: 'financial_operation',
    tools: ['refund'],
  })
  ids['transaction_id'] = transaction.body.transaction_id
  const team = await call('POST', '/v1/teams', {
    org_id: org,
    name: 'Both',
    agent_ids: [OWN, OTHER],
  })
  ids['team_id'] = team.body.team.id
  for (const [name, id] of Object.entries(ids)) expect(id, name).toBeTypeOf('string')
  routes = documentedRoutes(t.app.openapi())
})

const call = (method: string, path: string, body?: unknown, token = first) =>
  t.call(method, path, { token, ...(body === undefined ? {} : { body }) })
const createKey = (body: object, token = owner) =>
  call('POST', '/v1/api-keys', { org_id: org, ...body }, token)

const traceOf = (agent_id: string) => ({
  agent_id,
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: {
    selected: 'a',
    selection_reasoning: 'It fits best.',
    values_applied: ['transparency'],
    confidence: 0.9,
    alternatives_considered: [{ option_id: 'a', description: 'The only one' }],
  },
})

/** Calls the route with every id of the other agent that it can be given. */
function callAboutOther({ method, path, queries }: DocumentedRoute, agentId = OTHER) {
  const url = path
    .replace('{org_id}', org)
    .replace('{agent_id}', agentId)
    .replace(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? 'does-not-exist')
  const query = queries
    .filter((name) => /agent_ids?$/.test(name))
    .map((name) => `${name}=${agentId}`)
    .join('&')
  const body = {
    agent_ids: [agentId, OWN],
    traces: [traceOf(agentId)],
    checkpoints: [{ agent_id: agentId, thinking: textOf(2) }],
    calls: [{ agent_id: agentId, tool: 'search' }],
    tool: 'search',
    tools: ['search'],
    ...traceOf(agentId),
    context: { action_type: 'data_access', use_case: 'A test' },
  }
  return call(
    method,
    query === '' ? url : `${url}?${query}`,
    method === 'GET' ? undefined : body,
    bound,
  )
}

describe('a key that is bound to an agent', () => {
  it('reaches nothing of another agent or of the organisation, whatever the route', async () => {
    let refused = 0
    for (const route of routes) {
      // Spans and log records name agents in attributes; see below.
      if (route.access === 'public' || route.path.startsWith('/v1/otlp/')) continue
      const { status, body, text } = await callAboutOther(route)
      const where = `${route.method} ${route.path}: ${text}`
      if (route.path === '/v1/gateway/decide/batch') {
        expect(body.results, where).toMatchObject([{ status: 404 }])
      } else if (route.path.includes('{agent_id}') && route.access !== 'user') {
        expect(status, where).toBe(404)
      } else {
        // A body of another shape is refused before its agents are looked at.
        expect([400, 403, 404, 422], where).toContain(status)
      }
      refused += 1
    }
    expect(refused).toBeGreaterThan(100)
  })

  it('gets 404 for another agent in the body', async () => {
    const decided = await call(
      'POST',
      '/v1/gateway/decide',
      { agent_id: OTHER, tool: 'search' },
      bound,
    )
    expect(decided).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    const posts: [string, object][] = [
      ['/v1/traces', traceOf(OTHER)],
      ['/v1/traces/batch', { traces: [traceOf(OWN), traceOf(OTHER)] }],
      ['/v1/checkpoints/batch', { checkpoints: [{ agent_id: OTHER, thinking: textOf(3) }] }],
      ['/v1/policies/evaluate', { agent_id: OTHER, context: 'gateway', tools: ['search'] }],
    ]
    for (const [path, body] of posts) {
      expect((await call('POST', path, body, bound)).status, path).toBe(404)
    }
    const edge = { target_agent_id: OTHER, trust_level: 'high', reason: 'They work together.' }
    expect((await call('POST', `/v1/agents/${OWN}/trust-edges`, edge, bound)).status).toBe(404)
  })

  it('sends spans only of its own agent', async () => {
    const attributes = (agent: string) => [
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      { key: 'gen_ai.agent.id', value: { stringValue: agent } },
    ]
    const spans = [OWN, OTHER].map((agent, at) => ({
      traceId: 'a'.repeat(32),
      spanId: String(at + 1).padStart(16, '0'),
      name: 'chat',
      kind: 3,
      endTimeUnixNano: `${t.clock.nowMs()}000000`,
      attributes: attributes(agent),
    }))
    const body = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] }
    const sent = await call('POST', '/v1/otlp/v1/traces', body, bound)
    expect(sent.headers['touchstone-spans'], sent.text).toContain('rejected=1')
    expect(sent.text).toContain(OTHER)
  })

  it('sends log records only of its own agent', async () => {
    const text = (value: string) => ({ stringValue: value })
    const logRecords = [OWN, OTHER].map((agent, at) => ({
      timeUnixNano: `${t.clock.nowMs()}000000`,
      traceId: 'b'.repeat(32),
      spanId: String(at + 1).padStart(16, '0'),
      eventName: 'gen_ai.client.inference.operation.details',
      attributes: [
        { key: 'gen_ai.agent.id', value: text(agent) },
        {
          key: 'gen_ai.output.messages',
          value: text(
            JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Yes' }] }]),
          ),
        },
      ],
    }))
    const body = { resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ logRecords }] }] }
    const sent = await call('POST', '/v1/otlp/v1/logs', body, bound)
    expect(sent.headers['touchstone-log-records'], sent.text).toContain('rejected=1')
    expect(sent.text).toContain(OTHER)
  })

  it('reads, decides and sends evidence for its own agent', async () => {
    const decided = await call(
      'POST',
      '/v1/gateway/decide',
      { agent_id: OWN, tool: 'refund' },
      bound,
    )
    expect(decided).toMatchObject({ status: 200, body: { decision: 'escalate' } })
    const { decision_id, escalation_id } = decided.body
    expect((await call('GET', `/v1/decisions/${decision_id}`, undefined, bound)).status).toBe(200)
    expect((await call('GET', `/v1/escalations/${escalation_id}`, undefined, bound)).status).toBe(
      200,
    )
    expect((await call('POST', '/v1/traces', traceOf(OWN), bound)).status).toBe(201)
    const batch = await call('POST', '/v1/traces/batch', { traces: [traceOf(OWN)] }, bound)
    expect(batch.status, batch.text).toBeLessThan(300)
    expect((await call('GET', `/v1/agents/${OWN}/policy/resolved`, undefined, bound)).status).toBe(
      200,
    )
  })

  it('names its agent by itself, which another key must do', async () => {
    const decide = (key: string) => call('POST', '/v1/gateway/decide', { tool: 'search' }, key)
    const decided = await decide(bound)
    expect(decided.body.receipt?.statement, decided.text).toMatchObject({ agent_id: OWN })
    expect(await decide(first)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', details: [{ path: '/agent_id' }] },
    })
    const calls = [{ tool: 'search' }, { tool: 'search', agent_id: OTHER }]
    const { results } = (await call('POST', '/v1/gateway/decide/batch', { calls }, bound)).body
    expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 404])
    const { agent_id: _named, ...trace } = traceOf(OWN)
    for (const [path, body] of [
      ['/v1/traces/batch', { traces: [trace] }],
      ['/v1/checkpoints/batch', { checkpoints: [{ thinking: textOf(4) }] }],
    ] as const) {
      const sent = await call('POST', path, body, bound)
      expect(sent.text, path).toContain('"created"')
      expect((await call('POST', path, body, first)).text, path).toContain('agent_id')
    }
  })

  it('gets 304 for its policy until a version changes', async () => {
    const path = `/v1/agents/${OWN}/policy/resolved`
    const read = (etag?: string) =>
      t.call('GET', path, {
        headers: {
          authorization: `Bearer ${bound}`,
          ...(etag === undefined ? {} : { 'if-none-match': etag }),
        },
      })
    const etag = String((await read()).headers['etag'])
    expect(etag).toBe('W/"1.1.0.1"')
    t.clock.advance(1000)
    expect((await read(etag)).status).toBe(304)
    await call('PUT', `/v1/agents/${OWN}/policy`, POLICY)
    expect((await read(etag)).headers['etag']).toBe('W/"1.2.0.2"')
  })

  it('sees only its own agent in lists', async () => {
    for (const [path, list] of [
      ['/v1/agents', 'agents'],
      [`/v1/orgs/${org}/agents`, 'agents'],
      ['/v1/decisions', 'decisions'],
      ['/v1/escalations', 'escalations'],
      ['/v1/traces', 'traces'],
    ] as const) {
      const { body } = await call('GET', path, undefined, bound)
      const named = body[list].map((one: { agent_id: string }) => one.agent_id)
      expect([...new Set(named)], path).toEqual([OWN])
    }
  })

  it('has no private view of other agents, but of its own', async () => {
    for (const agentId of [OWN, OTHER]) {
      await call('PATCH', `/v1/agents/${agentId}`, { visibility: 'private' })
    }
    expect((await call('GET', `/v1/agents/${OTHER}`, undefined, bound)).status).toBe(404)
    expect((await call('GET', `/v1/agents/${OWN}`, undefined, bound)).status).toBe(200)
    const guard = (await createKey({ agent_id: OWN, role: 'member', scopes: ['decide', 'ingest'] }))
      .body
    expect((await call('GET', `/v1/agents/${OWN}`, undefined, guard.key)).status).toBe(200)
    expect((await call('GET', `/v1/agents/${OTHER}`, undefined, guard.key)).status).toBe(404)
  })

  it('learns nothing about a private agent by naming it as counterparty', async () => {
    const otherPath = `/v1/orgs/${org}/agents/${OTHER}`
    await call('PATCH', `/v1/agents/${OTHER}`, { visibility: 'private' })
    await call('POST', `${otherPath}/pause`, { reason: 'A test' })
    const assess = (counterparty_id: string, token: string) => {
      const context = { action_type: 'data_access', use_case: 'A test', counterparty_id }
      return call('POST', '/v1/risk/assess', { agent_id: OWN, context }, token)
    }
    const explanation = async (counterparty: string, token: string) =>
      (await assess(counterparty, token)).body.explanation
    expect(await explanation(OTHER, bound)).toBe(await explanation('bound-nobody', bound))
    expect(await explanation(OTHER, first)).toContain('counterparty_contained')
    await call('POST', `${otherPath}/resume`, { reason: 'A test' })
  })

  it('does not replay an answer that another key got', async () => {
    const body = traceOf(OTHER)
    const headers = { 'idempotency-key': 'shared', authorization: `Bearer ${first}` }
    expect((await t.call('POST', '/v1/traces', { headers, body })).status).toBe(201)
    const again = { 'idempotency-key': 'shared', authorization: `Bearer ${bound}` }
    expect((await t.call('POST', '/v1/traces', { headers: again, body })).status).toBe(404)
  })
})

describe('creating a key for an agent', () => {
  const agentKey = { agent_id: OWN, role: 'member', scopes: ['decide', 'ingest'] }

  it('is possible with a key that has the scope write, but no other key is', async () => {
    const made = await createKey({ ...agentKey, client: 'mcp_guard' }, first)
    expect(made).toMatchObject({
      status: 201,
      body: { ...agentKey, scopes: ['ingest', 'decide'], client: 'mcp_guard', mode: 'enforce' },
    })
    expect((await createKey({ agent_id: OWN }, first)).body).toMatchObject({ role: 'member' })
    for (const body of [
      {},
      { role: 'member', scopes: ['decide'] },
      { ...agentKey, role: 'admin' },
      { ...agentKey, scopes: ['decide', 'read'] },
      { ...agentKey, mode: 'observe' },
    ]) {
      expect((await createKey(body, first)).status, JSON.stringify(body)).toBe(403)
    }
    const read = (await createKey({ scopes: ['read', 'ingest', 'decide'] })).body.key
    expect((await createKey(agentKey, read)).status).toBe(403)
  })

  it('is 404 for an unknown agent or one of another organisation', async () => {
    expect(await createKey({ ...agentKey, agent_id: 'nobody-here' })).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
    const stranger = await t.newUser('bound-stranger@example.com')
    const others = await call(
      'POST',
      '/v1/orgs',
      { name: 'Other', slug: 'bound-other' },
      stranger.token,
    )
    const theirs = { ...agentKey, org_id: others.body.org_id }
    expect((await createKey(theirs, stranger.token)).status).toBe(404)
  })

  it('does not count towards the 50 keys of the organisation', async () => {
    const made = await call('POST', '/v1/orgs', { name: 'Many', slug: 'many-keys' }, owner)
    const orgId = made.body.org_id
    await call('POST', '/v1/agents', { agent_id: 'many-keys', org_id: orgId }, owner)
    const one = { ...agentKey, agent_id: 'many-keys', org_id: orgId }
    expect((await createKey(one)).status).toBe(201)
    const ordinary = () => call('POST', `/v1/orgs/${orgId}/api-keys`, {}, owner)
    const answers = await Promise.all(Array.from({ length: 50 }, ordinary))
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    expect((await ordinary()).body.error).toBe('limit_reached')
    expect((await createKey(one)).status).toBe(201)
  })

  it('lasts until the agent is archived or erased', async () => {
    await call('POST', '/v1/agents', { agent_id: 'bound-brief' })
    const { key } = (await createKey({ ...agentKey, agent_id: 'bound-brief' })).body
    const use = () =>
      call('POST', '/v1/gateway/decide', { agent_id: 'bound-brief', tool: 'x' }, key)
    expect((await use()).status).toBe(200)
    expect((await call('DELETE', '/v1/agents/bound-brief', undefined, owner)).status).toBeLessThan(
      300,
    )
    await expect.poll(async () => (await use()).status).toBe(401)
  })
})

describe('client and mode of a key', () => {
  it('decide the source of decisions and whether they are enforced, and the body does not', async () => {
    await call('POST', '/v1/agents', { agent_id: 'source-agent' })
    const made = await createKey({ client: 'hook', mode: 'observe', scopes: ['decide'] })
    expect(made.body).toMatchObject({ client: 'hook', mode: 'observe', agent_id: null })
    const asked = { agent_id: 'source-agent', tool: 'x', source: 'sdk', enforced: true }
    const recordOf = async (token: string) => {
      const { body } = await call('POST', '/v1/gateway/decide', asked, token)
      return (await call('GET', `/v1/decisions/${body.decision_id}`)).body
    }
    expect(await recordOf(made.body.key)).toMatchObject({ source: 'hook', enforced: false })
    expect(await recordOf(first)).toMatchObject({ source: 'api', enforced: true })
    const url = `/v1/orgs/${org}/api-keys/${made.body.key_id}`
    const changed = await call('PATCH', url, { mode: 'enforce' }, owner)
    expect(changed).toMatchObject({ status: 200, body: { mode: 'enforce', client: 'hook' } })
    await expect.poll(async () => (await recordOf(made.body.key)).enforced).toBe(true)
  })

  it('can be observe only if an owner or admin says so', async () => {
    const member = await t.newUser('mode-member@example.com', { orgId: org, role: 'member' })
    expect((await createKey({ mode: 'observe' }, member.token)).status).toBe(403)
    const own = (await createKey({}, member.token)).body
    const url = `/v1/orgs/${org}/api-keys/${own.key_id}`
    expect((await call('PATCH', url, { mode: 'observe' }, member.token)).status).toBe(403)
    expect((await createKey({ client: 'model_gateway' })).status).toBe(400)
  })
})
