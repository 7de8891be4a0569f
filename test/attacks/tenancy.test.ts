import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { type DocumentedRoute, documentedRoutes } from '#harness/documented-routes.ts'
import { eventually } from '#harness/eventually.ts'
import { SCOPES } from '../../packages/server/src/access.ts'

/**
 * Somebody with an account and an organisation of their own knows every id of another organisation, and
 * calls every route with them. Nothing is answered, changed, or even confirmed to exist.
 */
const VICTIM = 'victim-agent'
/** As long, and of the same form. */
const NOBODY = 'nobody-agent'
const POLICY = {
  meta: { schema_version: '1.0', name: 'Refunds', scope: 'agent' },
  capability_mappings: { desk: { tools: ['search', 'refund'], card_actions: ['search'] } },
  escalation_triggers: [{ condition: "tool == 'refund'", action: 'escalate', reason: 'Ask' }],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp
let owner: string
let victimOrg: string
let attackerOrg: string
let attackers: { session: string; key: string }
let routes: DocumentedRoute[]
/** By the name of the path parameter. */
const ids: Record<string, string> = {}

const as =
  (token: string) =>
  (method: string, path: string, body?: unknown, headers = {}) =>
    t.call(method, path, { token, headers, ...(body === undefined ? {} : { body }) })

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  victimOrg = t.first.org_id
  const stranger = await t.newUser('stranger@example.com')
  const made = await as(stranger.token)('POST', '/v1/orgs', { name: 'Other', slug: 'other' })
  attackerOrg = made.body.org_id ?? made.body.org?.org_id ?? made.body.id
  const key = await as(stranger.token)('POST', '/v1/api-keys', { scopes: [...SCOPES] })
  attackers = { session: stranger.token, key: key.body.key }
  await furnish()
  routes = documentedRoutes(t.app.openapi())
})

/** Gives the victim one of everything. */
async function furnish(): Promise<void> {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await as(owner)(method, path, body)
    expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  const agent = { agent_id: VICTIM, card: CARD, visibility: 'private' }
  await call('POST', '/v1/agents', agent)
  await call('POST', '/v1/agents', { ...agent, agent_id: 'victim-second' })
  await call('PUT', `/v1/agents/${VICTIM}/policy`, POLICY)
  const decided = await call('POST', '/v1/gateway/decide', { agent_id: VICTIM, tool: 'refund' })
  const sent = await call('POST', `/v1/agents/${VICTIM}/checkpoints`, { thinking: textOf(1) })
  const trace = await call('POST', '/v1/traces', traceOf(VICTIM))
  const context = { action_type: 'data_access', use_case: 'A test' }
  const risk = await call('POST', '/v1/risk/assess', { agent_id: VICTIM, context })
  const transaction = await call('POST', '/v1/transactions', transactionOf(VICTIM))
  const team = await call('POST', '/v1/teams', {
    org_id: victimOrg,
    name: 'Both',
    visibility: 'private',
    agent_ids: [VICTIM, 'victim-second'],
  })
  const webhook = await call('POST', `/v1/orgs/${victimOrg}/webhooks`, {
    url: 'https://example.com/hook',
    events: ['agent.created'],
  })
  const connection = await call('POST', `/v1/agents/${VICTIM}/connections`, {
    provider: 'anthropic',
  })
  const invited = await call('POST', `/v1/orgs/${victimOrg}/invitations`, {
    email: 'new@example.com',
    role: 'member',
  })
  const key = await call('POST', `/v1/orgs/${victimOrg}/api-keys`, { name: 'one' })
  const members = await call('GET', `/v1/orgs/${victimOrg}/members`)
  Object.assign(ids, {
    org_id: victimOrg,
    agent_id: VICTIM,
    decision_id: decided.decision_id,
    escalation_id: decided.escalation_id,
    checkpoint_id: sent.checkpoint.checkpoint_id,
    trace_id: trace.trace_id,
    assessment_id: risk.assessment_id,
    transaction_id: transaction.transaction_id,
    team_id: team.team.id,
    endpoint_id:
      webhook.endpoint_id ?? webhook.webhook?.endpoint_id ?? webhook.endpoint?.endpoint_id,
    connection_id: connection.connection_id,
    invitation_id: invited.invitation_id ?? invited.invitation?.invitation_id,
    key_id: key.key_id,
    user_id: members.members[0].user_id,
    record_id: sent.checkpoint.checkpoint_id,
    version: '1',
  })
  for (const [name, id] of Object.entries(ids)) expect(id, name).toBeTypeOf('string')
}

const traceOf = (agent_id: string) => ({
  agent_id,
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: { selected: 'a', selection_reasoning: 'It fits best.', values_applied: ['honesty'] },
})
const transactionOf = (agent_id: string) => ({
  agent_id,
  description: 'Refund 1182',
  action_type: 'financial_operation',
  tools: ['refund'],
})

/** The same id with its last letters exchanged, which nothing has. */
function unlike(id: string): string {
  if (id === VICTIM) return NOBODY
  if (id.length < 8) return id
  const letters = [...id.slice(-6)].map((char) => {
    if (/\d/.test(char)) return 9 - Number(char)
    return char === 'a' ? 'b' : char.replace(/[b-f]/, 'a')
  })
  return id.slice(0, -6) + letters.join('')
}

const namesAgent = /agent_ids?$/

/** Every way to name something in a request. */
function requestOf({ method, path, queries }: DocumentedRoute, known: Record<string, string>) {
  const url = path.replace(/\{([^}]+)\}/g, (_, name: string) => known[name] ?? 'does-not-exist')
  const agent = known['agent_id'] ?? ''
  const query = queries
    .flatMap((name) => {
      if (namesAgent.test(name)) return `${name}=${agent}`
      const id = known[name]
      return id === undefined || name === 'version' ? [] : `${name}=${id}`
    })
    .join('&')
  const body = {
    ...traceOf(agent),
    ...transactionOf(agent),
    agent_ids: [agent, 'other-own'],
    agents: [agent],
    target_agent_id: agent,
    traces: [traceOf(agent)],
    checkpoints: [{ agent_id: agent, thinking: textOf(2) }],
    calls: [{ agent_id: agent, tool: 'search' }],
    outcomes: [{ decision_id: known['decision_id'], status: 'executed' }],
    tool: 'search',
    context: { action_type: 'data_access', use_case: 'A test' },
    team_id: known['team_id'],
    org_id: attackerOrg,
    agent_a: agent,
    agent_b: 'other-own',
    policy: POLICY,
    time_range: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
    publications: [{ agent_id: agent }],
    fault_line_analysis_id: 'fl-1',
    outcome: 'approve',
    reason: 'A reason',
    decision_id: known['decision_id'],
    escalation_id: known['escalation_id'],
    checkpoint_id: known['checkpoint_id'],
    hash_proof: 'a'.repeat(64),
    status: 'executed',
    thinking: textOf(3),
    name: 'x',
  }
  const asked = query === '' ? url : `${url}?${query}`
  return [method, asked, method === 'GET' ? undefined : body] as const
}

/** The answer without the ids that were asked for, and without times. */
function shapeOf({ status, body, text }: Answer, asked: Record<string, string>) {
  let plain = typeof body === 'object' ? JSON.stringify(body) : text
  for (const [name, id] of Object.entries(asked)) {
    if (id.length > 3) plain = plain.replaceAll(id, `<${name}>`)
  }
  plain = plain.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  plain = plain.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
  return `${status} ${plain}`
}

/** Not streams, what is the caller's own, and spans, which name agents in attributes. */
const LEFT_OUT = /^\/v1\/(auth|otlp)|\/stream$|^\/dev/

/** Routes with an organisation in the path are also tried with the attacker's own. */
function* attempts(): Generator<[DocumentedRoute, string | undefined]> {
  for (const route of routes) {
    if (LEFT_OUT.test(route.path)) continue
    // Ids of agents are unique in the whole service, so registering one tells (agent-names.test.ts).
    if (route.method === 'POST' && route.path === '/v1/agents') continue
    yield [route, undefined]
    const others = route.path.replace('{org_id}', '')
    if (others !== route.path && others.includes('{')) yield [route, attackerOrg]
  }
}

/** A request with the ids of the victim, and one with ids that nothing has. */
function pairOf(route: DocumentedRoute, own: string | undefined) {
  const changed = own === undefined ? {} : { org_id: own }
  const none = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, unlike(id)]))
  const [real, made] = [ids, none].map((given) => {
    const known = { ...given, ...changed }
    return { known, args: requestOf(route, known) }
  })
  if (real === undefined || made === undefined) throw new Error('there are two')
  return { real, made }
}

describe('a stranger who knows every id', () => {
  it.each(['session', 'key'] as const)(
    'learns nothing from any route with their %s, not even that something exists',
    async (kind) => {
      const call = as(attackers[kind])
      const differing: string[] = []
      let missing = 0
      for (const [route, own] of attempts()) {
        const { real, made } = pairOf(route, own)
        const got = shapeOf(await call(...real.args), real.known)
        const expected = shapeOf(await call(...made.args), made.known)
        missing += Number(got.startsWith('404'))
        if (got !== expected) differing.push([real.args[1], got, expected].join('\n').slice(0, 700))
      }
      expect(differing).toEqual([])
      // Most requests got as far as the search for what they name.
      expect(missing).toBeGreaterThan(90)
    },
  )

  it('cannot replay the answer to somebody else by their idempotency key', async () => {
    const headers = { 'idempotency-key': 'shared-key-1' }
    const body = { agent_id: 'idem-agent', card: CARD }
    const first = await as(owner)('POST', '/v1/agents', body, headers)
    expect(first.status).toBe(201)
    const replayed = await as(attackers.key)('POST', '/v1/agents', body, headers)
    expect(replayed.status).toBe(409)
    expect(replayed.text).not.toContain(victimOrg)
  })

  it('gets no 304 for what they may not see', async () => {
    for (const path of [`/v1/agents/${VICTIM}`, `/v1/agents/${VICTIM}/card`]) {
      const seen = await as(owner)('GET', path)
      expect(seen.status).toBe(200)
      const etag = String(seen.headers['etag'] ?? '"x"')
      for (const token of [attackers.key, attackers.session]) {
        const answer = await as(token)('GET', path, undefined, { 'if-none-match': etag })
        expect(answer.status).toBe(404)
      }
    }
  })

  it('reads nothing with a key that was revoked, however warm the caches are', async () => {
    const made = await as(owner)('POST', '/v1/api-keys', { org_id: victimOrg, scopes: ['read'] })
    const { key, key_id } = made.body
    const read = () => as(key)('GET', `/v1/agents/${VICTIM}`)
    for (let n = 0; n < 3; n += 1) expect((await read()).status).toBe(200)
    const list = () => as(key)('GET', '/v1/agents')
    expect((await list()).status).toBe(200)
    const revoked = await as(owner)('DELETE', `/v1/orgs/${victimOrg}/api-keys/${key_id}`)
    expect(revoked.status).toBeLessThan(300)
    await eventually(async () => expect((await list()).status).toBe(401))
    // A public route answers as to anybody.
    expect((await read()).status).toBe(404)
  })

  it('cannot act for another organisation by a header or in the body', async () => {
    const headers = { 'x-org-id': victimOrg }
    const listed = await as(attackers.key)('GET', '/v1/agents', undefined, headers)
    expect(listed.text).not.toContain(VICTIM)
    expect((await as(attackers.session)('GET', '/v1/agents', undefined, headers)).status).toBe(404)
    const body = { agent_id: 'planted-agent', card: CARD, org_id: victimOrg }
    const planted = await as(attackers.key)('POST', '/v1/agents', body)
    if (planted.status === 201) expect(planted.body.agent.org_id).toBe(attackerOrg)
    const { body: own } = await as(owner)('GET', '/v1/agents')
    expect(JSON.stringify(own)).not.toContain('planted-agent')
  })

  it('cannot page into the records of another organisation', async () => {
    const pages = await as(owner)('GET', '/v1/decisions?per_page=1')
    const cursor = pages.body.next_cursor ?? pages.body.cursor
    const query = cursor === undefined || cursor === null ? 'page=1' : `cursor=${cursor}`
    const stolen = await as(attackers.key)('GET', `/v1/decisions?${query}`)
    expect(stolen.text).not.toContain(VICTIM)
    expect(stolen.text).not.toContain(ids['decision_id'])
  })

  it('has changed nothing', async () => {
    const agent = await as(owner)('GET', `/v1/agents/${VICTIM}`)
    expect(agent.body).toMatchObject({ status: 'active', visibility: 'private' })
    const containment = await as(owner)('GET', `/v1/orgs/${victimOrg}/agents/${VICTIM}/containment`)
    expect(containment.body.status ?? containment.body.state).toBe('active')
    const team = await as(owner)('GET', `/v1/teams/${ids['team_id']}`)
    expect(JSON.stringify(team.body)).toContain(VICTIM)
    const decision = await as(owner)('GET', `/v1/decisions/${ids['decision_id']}`)
    expect(decision.body.outcome ?? null).toBeNull()
  })
})
