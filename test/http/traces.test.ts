import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const DAY_MS = 86_400_000

let t: TestApp
let owner: string
let org: string
let key: string
/** An API key of another organisation; session tokens expire when the clock moves. */
let foreign: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  org = t.first.org_id
  key = t.first.api_key
  foreign = await otherOrgKey(t)
})

const CARD = {
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['transparency', 'honesty', 'privacy'] },
  autonomy_envelope: {
    bounded_actions: ['search'],
    forbidden_actions: ['wipe'],
    escalation_triggers: [{ condition: 'amount > 100', action: 'escalate', reason: 'dear' }],
  },
  audit_commitment: { retention_days: 30, queryable: false },
}

async function newAgent(card: object = CARD, token = key): Promise<string> {
  count += 1
  const agentId = `trace-agent-${count}`
  const created = await t.call('POST', '/v1/agents', { token, body: { agent_id: agentId, card } })
  expect(created.status).toBe(201)
  return agentId
}

const trace = (agentId: string, changes: object = {}) => ({
  agent_id: agentId,
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: {
    selected: 'a',
    selection_reasoning: 'It fits best.',
    values_applied: ['transparency', 'honesty'],
    confidence: 0.9,
  },
  escalation: { evaluated: true, required: false, reason: 'nothing due' },
  ...changes,
})

const wiping = { action: { type: 'execute', name: 'wipe', category: 'forbidden' } }

const post = (body: unknown, token = key) => t.call('POST', '/v1/traces', { token, body })
const get = (id: string, token = key) => t.call('GET', `/v1/traces/${id}`, { token })
const list = (query: string) => t.call('GET', `/v1/traces?${query}`, { token: key })
const batch = (traces: unknown) =>
  t.call('POST', '/v1/traces/batch', { token: key, body: { traces } })

async function rowsOf(agentId: string) {
  const found = await sql<{ traces: number; ids: number; events: number }>`select
    (select count(*) from trace where agent_id = ${agentId}) as traces,
    (select count(*) from trace_owner where agent_id = ${agentId}) as ids,
    (select count(*) from event where data -> 'trace' ->> 'agent_id' = ${agentId}) as events`.execute(
    t.app.kernel.db,
  )
  return found.rows[0]
}

describe('storing a trace', () => {
  it('answers 201 with the trace, complete and verified', async () => {
    const agentId = await newAgent()
    const created = await post(trace(agentId, { unknown: 'ignored' }))
    expect(created.status).toBe(201)
    const { card_id: cardId } = (await t.call('GET', `/v1/agents/${agentId}`)).body
    expect(created.body).toEqual({
      ...trace(agentId),
      trace_id: expect.stringMatching(/^tr-[0-9a-f-]{36}$/),
      card_id: cardId,
      timestamp: '2026-03-01T12:00:00.000Z',
      received_at: '2026-03-01T12:00:00.000Z',
      provenance: 'reported',
      decision_id: null,
      context: { session_id: expect.stringMatching(/^sess-[0-9a-f]{8}-492324$/) },
      tools: ['search'],
      verification: {
        verified: true,
        violations: [],
        violation_details: [],
        warnings: [],
        similarity_score: 0.8944,
        recommended_action: 'proceed',
        card_id: cardId,
        verified_at: '2026-03-01T12:00:00.000Z',
        algorithm_version: '1.3.0',
      },
      policy: null,
      created_at: '2026-03-01T12:00:00.000Z',
    })
    expect((await get(created.body.trace_id)).body).toEqual(created.body)
  })

  it('takes the agent from the path, which the body may repeat but not contradict', async () => {
    const agentId = await newAgent()
    const url = `/v1/agents/${agentId}/traces`
    const { agent_id: _, ...bare } = trace(agentId, { trace_id: 'tr-by-path' })
    const created = await t.call('POST', url, { token: key, body: bare })
    expect(created).toMatchObject({ status: 201, body: { agent_id: agentId } })
    // The same trace, posted to either path.
    expect((await post({ ...bare, agent_id: agentId })).status).toBe(200)
    const other = await t.call('POST', url, { token: key, body: trace('agent-other') })
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it.each<[string, object]>([
    ['no action', { action: undefined }],
    ['an unknown action type', { action: { type: 'x', name: 'a', category: 'bounded' } }],
    ['an empty name', { action: { type: 'deny', name: '', category: 'bounded' } }],
    ['a confidence above one', { decision: { ...trace('').decision, confidence: 1.1 } }],
    ['an id with spaces', { trace_id: 'a b c' }],
    ['an empty session id', { context: { session_id: '' } }],
    ['a timestamp without an offset', { timestamp: '2026-03-01T12:00:00' }],
    ['a timestamp in the future', { timestamp: '2026-03-01T12:05:00.001Z' }],
    ['more than 64 KB', { context: { metadata: { text: 'x'.repeat(65_536) } } }],
    ['a tool without a name', { tools: [''] }],
    ['a tool name with a trailing space', { tools: ['shell '] }],
    ['too many tools', { tools: Array.from({ length: 101 }, () => 'a') }],
  ])('refuses %s with 400 and stores nothing', async (_what, changes) => {
    const agentId = await newAgent()
    const answer = await post(trace(agentId, changes))
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(answer.body.details[0].code).toBeTypeOf('string')
    expect(await rowsOf(agentId)).toEqual({ traces: 0, ids: 0, events: 0 })
  })

  it('answers 404 alike for an unknown agent and another organisation’s', async () => {
    const elsewhere = await newAgent(CARD, foreign)
    for (const agentId of ['agent-unknown', elsewhere]) {
      const expected = {
        status: 404,
        body: { error: 'agent_not_found', message: 'No such agent.' },
      }
      expect(await post(trace(agentId))).toMatchObject(expected)
      const url = `/v1/agents/${agentId}/traces`
      const body = trace(agentId)
      expect(await t.call('POST', url, { token: key, body })).toMatchObject(expected)
      const verify = { trace: trace(agentId) }
      expect(await t.call('POST', '/v1/traces/verify', { token: key, body: verify })).toMatchObject(
        expected,
      )
    }
  })

  it('requires permission to submit evidence: 401 and 403 otherwise', async () => {
    const agentId = await newAgent()
    const body = trace(agentId)
    expect((await t.call('POST', '/v1/traces', { body })).status).toBe(401)
    const auditor = await t.newUser('auditor@example.com', { orgId: org, role: 'auditor' })
    expect((await post(body, auditor.token)).status).toBe(403)
    expect((await list('')).status).toBe(200)
    const created = await t.call('POST', `/v1/orgs/${org}/api-keys`, {
      token: owner,
      body: { role: 'member', scopes: ['read'] },
    })
    expect((await post(body, created.body.key)).status).toBe(403)
    const verify = { trace: body }
    const verified = await t.call('POST', '/v1/traces/verify', {
      token: created.body.key,
      body: verify,
    })
    expect(verified.status).toBe(200)
  })

  it('updates when the agent was last seen', async () => {
    const agentId = await newAgent()
    await post(trace(agentId))
    const read = await t.call('GET', `/v1/agents/${agentId}`, { token: key })
    expect(read.body.last_seen_at).toBe('2026-03-01T12:00:00.000Z')
  })

  it('is refused with 409 once the agent is archived, whose traces stay readable', async () => {
    const agentId = await newAgent()
    const created = await post(trace(agentId))
    await t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
    expect(await post(trace(agentId))).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect((await get(created.body.trace_id)).status).toBe(200)
  })

  it('accepts a body of up to 5 MiB and answers 413 beyond', async () => {
    const agentId = await newAgent()
    const padded = (bytes: number) => post({ ...trace(agentId), padding: 'x'.repeat(bytes) })
    expect((await padded(2 * 1024 * 1024)).status).toBe(201)
    expect((await padded(5 * 1024 * 1024)).status).toBe(413)
  })
})

describe('a trace id', () => {
  it('repeated with the same input is answered 200 with the stored trace', async () => {
    const agentId = await newAgent()
    const body = trace(agentId, { trace_id: 'tr-again' })
    const first = await post(body)
    t.clock.advance(1000)
    const reordered = Object.fromEntries(Object.entries(body).reverse())
    const again = await post(reordered)
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
    expect(await rowsOf(agentId)).toEqual({ traces: 1, ids: 1, events: 1 })
  })

  it('is never reused for a different trace of the organisation', async () => {
    const [one, two] = [await newAgent(), await newAgent()]
    await post(trace(one, { trace_id: 'tr-taken' }))
    const answers = [
      await post(trace(one, { trace_id: 'tr-taken', timestamp: '2026-01-01T00:00:00Z' })),
      await post(trace(two, { trace_id: 'tr-taken' })),
    ]
    for (const answer of answers) {
      const message = 'The trace id tr-taken is taken.'
      expect(answer).toMatchObject({ status: 409, body: { error: 'conflict', message } })
    }
    expect(await rowsOf(two)).toEqual({ traces: 0, ids: 0, events: 0 })
  })

  it('can be used by every organisation, and finds the trace of the caller', async () => {
    const [own, elsewhere] = [await newAgent(), await newAgent(CARD, foreign)]
    const body = { trace_id: 'order-1182' }
    expect((await post(trace(own, body))).status).toBe(201)
    expect((await post({ ...trace(elsewhere, body), ...wiping }, foreign)).status).toBe(201)
    expect((await get('order-1182')).body).toMatchObject({ agent_id: own })
    expect((await get('order-1182', foreign)).body).toMatchObject({ agent_id: elsewhere })
    expect((await post(trace(own, body))).status).toBe(200)
    const found = await list('action_name=wipe')
    expect(found.body.traces.map((one: { agent_id: string }) => one.agent_id)).not.toContain(
      elsewhere,
    )
  })

  it('that only another organisation uses links no checkpoint to its findings', async () => {
    const [own, elsewhere] = [await newAgent(), await newAgent(CARD, foreign)]
    await post({ ...trace(elsewhere, { trace_id: 'order-1183' }), ...wiping }, foreign)
    const thinking = 'The customer asked when the parcel arrives. '.repeat(20)
    const judged = async (traceId: string) => {
      const body = { thinking, trace_id: traceId }
      const url = `/v1/agents/${own}/checkpoints`
      const { verdict, concerns } = (await t.call('POST', url, { token: key, body })).body
        .checkpoint
      return { verdict, concerns }
    }
    expect(await judged('order-1183')).toEqual(await judged('order-unknown'))
  })

  it('sent concurrently is stored and announced once', async () => {
    const agentId = await newAgent()
    const body = trace(agentId, { trace_id: 'tr-twins' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(body)))
    const statuses = answers.map((answer) => answer.status).sort()
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(await rowsOf(agentId)).toEqual({ traces: 1, ids: 1, events: 1 })
  })
})

describe('verification', () => {
  it('compares a trace with the card that was current at its time', async () => {
    t.clock.set('2026-03-02T00:00:00Z')
    const agentId = await newAgent()
    const first = (await t.call('GET', `/v1/agents/${agentId}`)).body.card_id
    t.clock.set('2026-03-03T00:00:00Z')
    const changed = await t.call('PATCH', `/v1/agents/${agentId}/card`, {
      token: key,
      body: { card_json: { autonomy_envelope: { bounded_actions: ['fetch'] } } },
    })
    const second = changed.body.card_id
    const at = async (timestamp?: string, more: object = {}) =>
      (await post(trace(agentId, { ...(timestamp === undefined ? {} : { timestamp }), ...more })))
        .body
    expect(await at('2026-03-02T12:00:00Z')).toMatchObject({
      card_id: first,
      verification: { verified: true },
    })
    expect(await at('2026-01-01T00:00:00Z')).toMatchObject({ card_id: first })
    expect(await at()).toMatchObject({
      card_id: second,
      verification: { violations: ['UNBOUNDED_ACTION'] },
    })
    expect(await at(undefined, { card_id: first })).toMatchObject({
      card_id: first,
      verification: { verified: true, card_id: first },
    })
    expect(await at(undefined, { card_id: 'ac-nobody' })).toMatchObject({
      card_id: 'ac-nobody',
      verification: { violations: ['CARD_MISMATCH', 'UNBOUNDED_ACTION'], card_id: second },
    })
  })

  it('finds forbidden actions and missed escalations', async () => {
    const agentId = await newAgent()
    const parameters = { amount: 150 }
    const action = { type: 'execute', name: 'wipe', category: 'bounded', parameters }
    const created = await post(trace(agentId, { action }))
    expect(created.body.verification).toMatchObject({
      verified: false,
      violations: ['UNBOUNDED_ACTION', 'FORBIDDEN_ACTION', 'MISSED_ESCALATION'],
      recommended_action: 'deny',
    })
  })

  const verify = (body: object) => t.call('POST', '/v1/traces/verify', { token: key, body })

  it('is available without storing anything', async () => {
    const agentId = await newAgent()
    const good = await verify({ trace: trace(agentId) })
    expect(good.body).toMatchObject({ verified: true, similarity_score: 0.8944 })
    const bad = await verify({ trace: trace(agentId, wiping) })
    expect(bad.body.violations).toEqual(['FORBIDDEN_ACTION'])
    expect(await rowsOf(agentId)).toEqual({ traces: 0, ids: 0, events: 0 })
    const read = await t.call('GET', `/v1/agents/${agentId}`, { token: key })
    expect(read.body.last_seen_at).toBeNull()
  })

  it('uses a card from the request if that card is valid', async () => {
    const agentId = await newAgent()
    const card = { ...CARD, autonomy_envelope: { bounded_actions: ['fetch'] } }
    const answer = await verify({ trace: trace(agentId), card })
    expect(answer.body).toMatchObject({ violations: ['UNBOUNDED_ACTION'], card_id: null })
    const malformed = await verify({ trace: trace(agentId), card: {} })
    expect(malformed).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const expired = { ...CARD, expires_at: '2020-01-01T00:00:00Z' }
    const wrong = await verify({ trace: trace(agentId), card: expired })
    expect(wrong).toMatchObject({ status: 422, body: { error: 'validation_error' } })
  })
})

describe('a batch', () => {
  it('stores the valid traces in order and says what is wrong with the others', async () => {
    const agentId = await newAgent()
    const answer = await batch([
      trace(agentId, { trace_id: 'tr-b1' }),
      trace(agentId, { trace_id: 'tr-b1' }),
      trace(agentId, { action: 7 }),
      'not a trace',
      trace('agent-unknown'),
      trace(agentId, { trace_id: 'tr-b1', timestamp: '2026-01-01T00:00:00Z' }),
      trace(agentId, { trace_id: 'tr-b2', ...wiping }),
    ])
    expect(answer.status).toBe(200)
    const rejected = (index: number, error: string) => ({
      index,
      status: 'rejected',
      error,
      message: expect.any(String),
    })
    expect(answer.body).toEqual({
      results: [
        { index: 0, status: 'created', trace_id: 'tr-b1', verified: true },
        { index: 1, status: 'duplicate', trace_id: 'tr-b1', verified: true },
        rejected(2, 'invalid_request'),
        rejected(3, 'invalid_request'),
        rejected(4, 'agent_not_found'),
        rejected(5, 'conflict'),
        { index: 6, status: 'created', trace_id: 'tr-b2', verified: false },
      ],
      accepted: 2,
      duplicates: 1,
      rejected: 4,
    })
    expect(await rowsOf(agentId)).toEqual({ traces: 2, ids: 2, events: 2 })
  })

  it('accepts 1 to 100 traces, and answers 400 otherwise', async () => {
    const agentId = await newAgent()
    const many = (n: number) => Array.from({ length: n }, () => trace(agentId))
    for (const wrong of [[], many(101), 'x', undefined]) {
      expect((await batch(wrong)).status).toBe(400)
    }
    expect((await batch(many(100))).body).toMatchObject({ accepted: 100, rejected: 0 })
  })
})

describe('reading traces', () => {
  it('answers 404 alike for an unknown trace and another organisation’s', async () => {
    const agentId = await newAgent()
    const created = await post(trace(agentId))
    const expected = { status: 404, body: { error: 'not_found', message: 'No such trace.' } }
    expect(await get('tr-unknown')).toMatchObject(expected)
    expect(await get(created.body.trace_id, foreign)).toMatchObject(expected)
    const url = `/v1/agents/${agentId}/traces`
    const others = await t.call('GET', url, { token: foreign })
    expect(others).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    expect((await t.call('GET', `/v1/traces/${created.body.trace_id}`)).status).toBe(401)
  })

  it('lets a person of several organisations read the traces of each', async () => {
    const person = await t.newUser('both@example.com', { orgId: org, role: 'auditor' })
    await t.call('POST', '/v1/orgs', {
      token: person.token,
      body: { name: 'Second', slug: 'second' },
    })
    const own = { token: person.token, body: {} }
    const second = (await t.call('GET', '/v1/orgs', { token: person.token })).body.orgs.find(
      (one: { slug: string }) => one.slug === 'second',
    ).org_id
    const made = await t.call('POST', `/v1/orgs/${second}/api-keys`, own)
    const created = await post(trace(await newAgent(), { trace_id: 'tr-of-two' }))
    expect((await get(created.body.trace_id, person.token)).status).toBe(200)
    const agentId = await newAgent(CARD, made.body.key)
    await post(trace(agentId, { trace_id: 'tr-of-two' }), made.body.key)
    const ambiguous = await get('tr-of-two', person.token)
    expect(ambiguous).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const named = await t.call('GET', '/v1/traces/tr-of-two', {
      token: person.token,
      headers: { 'x-org-id': second },
    })
    expect(named).toMatchObject({ status: 200, body: { agent_id: agentId } })
    const undecided = await t.call('GET', '/v1/traces', { token: person.token })
    expect(undecided.status).toBe(400)
  })

  it('filters, sorted by newest decision, then by id', async () => {
    t.clock.set('2026-03-05T00:00:00Z')
    const agentId = await newAgent()
    const at = (day: number) => ({ timestamp: `2026-02-0${day}T00:00:00Z` })
    const recommend = { action: { type: 'recommend', name: 'search', category: 'bounded' } }
    await post(trace(agentId, { trace_id: 'f-b', ...at(1), context: { session_id: 's-1' } }))
    await post(trace(agentId, { trace_id: 'f-a', ...at(1) }))
    await post(trace(agentId, { trace_id: 'f-c', ...at(2), ...wiping }))
    await post(trace(agentId, { trace_id: 'f-d', ...at(3), ...recommend }))
    const ids = async (query: string) =>
      (await list(`agent_id=${agentId}&${query}`)).body.traces.map(
        (one: { trace_id: string }) => one.trace_id,
      )
    expect(await ids('')).toEqual(['f-d', 'f-c', 'f-a', 'f-b'])
    expect(await ids('session_id=s-1')).toEqual(['f-b'])
    expect(await ids('verified=false')).toEqual(['f-c'])
    expect(await ids('verified=true')).toEqual(['f-d', 'f-a', 'f-b'])
    expect(await ids('violation=FORBIDDEN_ACTION')).toEqual(['f-c'])
    expect(await ids('violation=CARD_EXPIRED')).toEqual([])
    expect(await ids('action_type=recommend')).toEqual(['f-d'])
    expect(await ids('action_name=wipe')).toEqual(['f-c'])
    expect(await ids('from=2026-02-02T00:00:00Z')).toEqual(['f-d', 'f-c'])
    expect(await ids('to=2026-02-01T23:59:59Z')).toEqual(['f-a', 'f-b'])
    const page = await list(`agent_id=${agentId}&page=2&per_page=3`)
    expect(page.body).toMatchObject({ total: 4, page: 2, per_page: 3 })
    expect(page.body.traces).toHaveLength(1)
    const own = await t.call('GET', `/v1/agents/${agentId}/traces?verified=false`, { token: key })
    expect(own.body).toMatchObject({ total: 1, traces: [{ trace_id: 'f-c' }] })
    for (const wrong of ['verified=perhaps', 'violation=ODD', 'action_type=x', 'from=today']) {
      expect((await list(wrong)).status, wrong).toBe(400)
    }
  })

  it('never shows an organisation the traces of another', async () => {
    const agentId = await newAgent()
    await post(trace(agentId))
    const elsewhere = await t.call('GET', `/v1/traces?agent_id=${agentId}`, {
      token: foreign,
    })
    expect(elsewhere.body).toMatchObject({ traces: [], total: 0 })
  })
})

describe('every stored trace', () => {
  it('writes one event to the outbox, with its most specific type', async () => {
    const agentId = await newAgent()
    await post(trace(agentId))
    await post(trace(agentId, wiping))
    const escalation = { evaluated: true, required: true, reason: 'asked' }
    await post(trace(agentId, { escalation }))
    const outbox = await sql<{ type: string; account_id: string; data: { all_events: string[] } }>`
      select type, account_id, data from event
      where data -> 'trace' ->> 'agent_id' = ${agentId}`.execute(t.app.kernel.db)
    expect(outbox.rows.map((row) => row.type).sort()).toEqual([
      'trace.escalation_required',
      'trace.failed',
      'trace.verified',
    ])
    const failed = outbox.rows.find((row) => row.type === 'trace.failed')
    expect(failed?.account_id).toMatch(/^ba-/)
    expect(failed?.data).toMatchObject({
      all_events: ['trace.created', 'trace.failed'],
      trace: { agent_id: agentId, verification: { violations: ['FORBIDDEN_ACTION'] } },
    })
  })

  it('counts as one check, and a repetition as none', async () => {
    const used = async () =>
      (await t.call('GET', `/v1/orgs/${org}/plan`, { token: key })).body.usage.checks.used
    const before = await used()
    const body = trace(await newAgent(), { trace_id: 'tr-counted' })
    await post(body)
    await post(body)
    expect(await used()).toBe(before + 1)
  })
})

describe('a trace is kept', () => {
  async function purge(): Promise<void> {
    await t.app.kernel.schedules.fireDue()
    await t.settle()
  }

  const setPlan = async (planId: string) =>
    t.call('PUT', `/v1/admin/orgs/${org}/plan`, {
      token: await t.ownerToken(),
      body: { plan_id: planId },
    })

  it('as long as the plan says, and never shorter than the card promised', async () => {
    t.clock.set('2026-05-01T12:00:00Z')
    const brief = await newAgent({
      ...CARD,
      audit_commitment: { retention_days: 1, queryable: false },
    })
    const longer = await newAgent()
    await post(trace(brief, { trace_id: 'kept-by-plan' }))
    await post(trace(longer, { trace_id: 'kept-by-card' }))
    const statuses = async () => [
      (await get('kept-by-plan')).status,
      (await get('kept-by-card')).status,
    ]
    const pass = async (days: number) => {
      t.clock.advance(days * DAY_MS)
      await purge()
      return statuses()
    }
    expect(await pass(5), 'unlimited').toEqual([200, 200])
    expect((await setPlan('plan-free')).status).toBe(200)
    expect(await pass(1), 'before the seven days').toEqual([200, 200])
    expect(await pass(2), 'after the seven days').toEqual([404, 200])
    expect(await pass(30), 'after the thirty days').toEqual([404, 404])
    expect((await post(trace(brief, { trace_id: 'kept-by-plan' }))).status).toBe(409)
    await setPlan('plan-enterprise')
  })

  it('no longer than its agent: erasure deletes every row of it', async () => {
    const agentId = await newAgent()
    await post(trace(agentId, { trace_id: 'tr-erased' }))
    const erased = await t.call('POST', `/v1/agents/${agentId}/erase`, {
      token: await t.ownerToken(),
      body: { confirm: agentId },
    })
    expect(erased.status).toBe(202)
    t.clock.advance(31 * DAY_MS)
    await purge()
    expect(await rowsOf(agentId)).toMatchObject({ traces: 0, ids: 0 })
    expect((await get('tr-erased')).status).toBe(404)
  })
})
