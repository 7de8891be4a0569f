import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { textOf, VIOLATION } from '#harness/checkpoints.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS
const WIPE = 'mcp__files__wipe'

let t: TestApp
let key: string
let foreign: string
let agent: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  foreign = await otherOrgKey(t)
})

beforeEach(async () => {
  count += 1
  agent = `judged-agent-${count}`
  const body = { agent_id: agent, card: CARD }
  expect(await t.call('POST', '/v1/agents', { token: key, body })).toMatchObject({ status: 201 })
})

const CARD = {
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: {
    bounded_actions: ['web_fetch', 'web_search', 'read', WIPE, 'unheard'],
    forbidden_actions: ['exfiltrate_data'],
    escalation_triggers: [],
  },
  audit_commitment: { retention_days: 30, queryable: false },
}

const policy = (parts: object = {}) => ({
  meta: { schema_version: '1.0', name: 'support', scope: 'agent' },
  forbidden: [{ pattern: 'mcp__files__*', reason: 'No files', severity: 'critical' }],
  ...parts,
})
const STRICT = policy({
  defaults: { unmapped_tool_action: 'block', enforcement_mode: 'enforce' },
})

async function put(body: object = policy()): Promise<void> {
  const answer = await t.call('PUT', `/v1/agents/${agent}/policy`, { token: key, body })
  expect(answer.status).toBe(200)
}

const evaluate = (changes: object = {}, token = key) =>
  t.call('POST', '/v1/policies/evaluate', {
    token,
    body: { agent_id: agent, tools: [WIPE], ...changes },
  })
const historical = (changes: object = {}, token = key) =>
  t.call('POST', '/v1/policies/evaluate/historical', {
    token,
    body: { agent_id: agent, time_range: range(-DAY_MS, DAY_MS), ...changes },
  })
const list = (query = '', token = key) =>
  t.call('GET', `/v1/agents/${agent}/policy-evaluations${query}`, { token })

const instant = (ms: number) => new Date(t.clock.nowMs() + ms).toISOString()
const range = (startMs: number, endMs: number) => ({ start: instant(startMs), end: instant(endMs) })

const trace = (changes: object = {}) => ({
  agent_id: agent,
  action: { type: 'execute', name: WIPE, category: 'bounded' },
  decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
  ...changes,
})
const postTrace = (changes: object = {}) =>
  t.call('POST', '/v1/traces', { token: key, body: trace(changes) })

type StoredEvent = { type: string; all: string[]; trace: { policy: object | null } }

async function storedEvents(type = 'policy.violation'): Promise<StoredEvent[]> {
  const found =
    await sql<StoredEvent>`select type, data -> 'all_events' as all, data -> 'trace' as trace
    from event where type = ${type} and data -> 'trace' ->> 'agent_id' = ${agent}
    order by created_at`.execute(t.app.kernel.db)
  return found.rows
}

describe('POST /v1/policies/evaluate', () => {
  it('returns up to a thousand findings and counts all of them', async () => {
    const forbidden = Array.from({ length: 30 }, (_, n) => ({
      pattern: '*'.repeat(n + 1),
      reason: 'Nothing',
      severity: 'high',
    }))
    await put(policy({ forbidden, capability_mappings: {} }))
    const { body } = await evaluate({ tools: Array.from({ length: 40 }, (_, n) => `tool-${n}`) })
    expect(body).toMatchObject({ verdict: 'fail', violation_count: 1200, warning_count: 0 })
    expect(body.violations).toHaveLength(1000)
    const kept = (await list()).body.evaluations[0]
    expect(kept).toMatchObject({ violation_count: 1200 })
    expect(kept.violations).toHaveLength(100)
  })

  it('replays the response for the same Idempotency-Key, including the verdict header', async () => {
    await put()
    const ask = () =>
      t.call('POST', '/v1/policies/evaluate', {
        token: key,
        body: { agent_id: agent, tools: [WIPE] },
        headers: { 'idempotency-key': 'again' },
      })
    const first = await ask()
    const second = await ask()
    expect(second.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'x-policy-verdict': 'fail',
    })
    expect(second.body).toEqual(first.body)
  })

  it('returns the evaluation with its verdict in a header, and stores it', async () => {
    await put()
    const answer = await evaluate()
    expect(answer).toMatchObject({ status: 200, headers: { 'x-policy-verdict': 'fail' } })
    expect(answer.body).toMatchObject({
      verdict: 'fail',
      violations: [
        {
          type: 'forbidden',
          tool: WIPE,
          reason: 'No files',
          severity: 'critical',
          blocking: true,
          rule: 'mcp__files__*',
        },
      ],
      warnings: [],
      card_gaps: [],
      coverage: { total_card_actions: 5, mapped_card_actions: [], coverage_pct: 0 },
      policy_version: 1,
      evaluated_at: instant(0),
      context: 'gateway',
      enforcement_mode: 'warn',
      transaction_id: null,
      evaluation_id: expect.stringMatching(/^pe-/),
    })
    expect((await list()).body).toMatchObject({
      evaluations: [{ evaluation_id: answer.body.evaluation_id, agent_id: agent, trace_id: null }],
      total: 1,
    })
  })

  it('accepts no tools, repeated ones, and at most 500', async () => {
    await put()
    expect((await evaluate({ tools: [] })).body).toMatchObject({ verdict: 'pass' })
    expect((await evaluate({ tools: ['x', 'x'] })).body.warnings).toHaveLength(1)
    const many = Array.from({ length: 501 }, (_, n) => `tool-${n}`)
    expect((await evaluate({ tools: many.slice(1) })).status).toBe(200)
    expect(await evaluate({ tools: many })).toMatchObject({ status: 400 })
  })

  it.each([
    ['no agent', { agent_id: undefined }],
    ['no tools', { tools: undefined }],
    ['a tool with a space', { tools: ['a b'] }],
    ['an empty tool', { tools: [''] }],
    ['an unknown context', { context: 'elsewhere' }],
  ])('answers 400 to %s', async (_, changes) => {
    expect(await evaluate(changes)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', details: [expect.anything()] },
    })
  })

  it("answers 404 for an unknown agent, another organisation's, and one without any policy", async () => {
    expect(await evaluate()).toMatchObject({ status: 404, body: { error: 'not_found' } })
    await put()
    expect(await evaluate({}, foreign)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const unknown = await evaluate({ agent_id: 'nobody-here' })
    expect(unknown).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('stores nothing in context audit, which has no grace period', async () => {
    await put(STRICT)
    const audit = await evaluate({ context: 'audit', tools: ['unheard'] })
    expect(audit.body).toMatchObject({ verdict: 'fail', evaluation_id: null, context: 'audit' })
    expect((await list()).body.total).toBe(0)
    expect(await storedEvents()).toEqual([])
    const live = await evaluate({ tools: ['unheard'] })
    expect(live.body.warnings).toMatchObject([
      { type: 'grace_period', expires_at: instant(DAY_MS) },
    ])
  })

  it('announces the same violation once in 60 seconds', async () => {
    await put()
    await evaluate()
    t.clock.advance(59 * SECOND_MS)
    await evaluate({ tools: ['harmless', WIPE] })
    expect(await storedEvents()).toHaveLength(1)
    await evaluate({ tools: [WIPE, 'mcp__files__list'] })
    expect(await storedEvents()).toHaveLength(2)
    t.clock.advance(SECOND_MS)
    await evaluate()
    const [first, , third] = await storedEvents()
    expect(third?.trace).toEqual(first?.trace)
    expect(first).toMatchObject({
      all: ['policy.violation'],
      trace: {
        trace_id: null,
        action: null,
        decision: null,
        verification: null,
        escalation: null,
        policy: { verdict: 'fail', violations: 1, warnings: 0, policy_version: 1, tools: [WIPE] },
      },
    })
    await put()
    await evaluate()
    expect(await storedEvents()).toHaveLength(4)
  })

  it('tolerates a new tool during its grace period, which a policy change does not restart', async () => {
    await put(STRICT)
    const tools = ['unheard']
    expect((await evaluate({ tools })).body).toMatchObject({ verdict: 'warn', violations: [] })
    t.clock.advance(DAY_MS)
    await put({ ...STRICT, forbidden: [] })
    expect((await evaluate({ tools })).body).toMatchObject({
      verdict: 'fail',
      violations: [{ type: 'unmapped', rule: 'default' }],
    })
  })

  it('enforces nothing in mode off, but records when tools were first seen', async () => {
    await put(policy({ defaults: { enforcement_mode: 'off' } }))
    const off = await evaluate({ tools: [WIPE, 'unheard'] })
    expect(off.body).toMatchObject({ verdict: 'pass', enforcement_mode: 'off' })
    t.clock.advance(DAY_MS)
    await put({ ...STRICT, defaults: { ...STRICT_DEFAULTS, grace_period_hours: 1 } })
    t.clock.advance(HOUR_MS)
    expect((await evaluate({ tools: ['unheard'] })).body.verdict).toBe('fail')
  })
})

const STRICT_DEFAULTS = { unmapped_tool_action: 'block', enforcement_mode: 'enforce' }

describe('a candidate policy', () => {
  it("applies to one call, merged with the organisation's, and is not stored", async () => {
    const answer = await evaluate({ policy: policy() })
    expect(answer.body).toMatchObject({
      verdict: 'fail',
      policy_id: 'candidate',
      policy_version: 0,
      evaluation_id: null,
    })
    await put(policy({ forbidden: [] }))
    expect((await evaluate({ policy: policy() })).body.verdict).toBe('fail')
    expect((await evaluate()).body.verdict).toBe('warn')
    expect((await list()).body.total).toBe(1)
    expect(await storedEvents()).toEqual([])
  })

  it('answers 400 or 422 as writing it would, with paths in the body', async () => {
    const wrong = await evaluate({ policy: { meta: {} } })
    expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(wrong.body.details[0].path).toMatch(/^\/policy\/meta\//)
    const meta = { schema_version: '1.0', name: 'org', scope: 'org' }
    for (const answer of [
      await evaluate({ policy: { meta } }),
      await historical({ policy: { meta } }),
    ]) {
      expect(answer).toMatchObject({
        status: 422,
        body: { details: [{ path: '/policy/meta/scope', code: 'scope_mismatch' }] },
      })
    }
  })
})

describe('a transaction named in the request', () => {
  it('limits the call to its tools, below all policies, and is refused once it has ended', async () => {
    await put(policy({ forbidden: [] }))
    const created = await t.call('POST', '/v1/transactions', {
      token: key,
      body: {
        agent_id: agent,
        description: 'Look it up',
        action_type: 'data_access',
        tools: ['read'],
        duration_hours: 1,
      },
    })
    expect(created.status).toBe(201)
    const { transaction_id } = created.body
    const tools = ['read', 'wipe']
    const answer = await evaluate({ tools, transaction_id })
    expect(answer.body).toMatchObject({
      verdict: 'fail',
      transaction_id,
      policy_version: 1,
      violations: [{ type: 'unmapped', tool: 'wipe', rule: 'transaction', blocking: true }],
    })
    expect((await list()).body.evaluations).toMatchObject([{ transaction_id }])
    t.clock.advance(HOUR_MS)
    const { body } = await evaluate({ tools: ['read'], transaction_id })
    expect(body.violations).toMatchObject([{ tool: 'read', reason: 'Transaction is expired' }])
  })

  it('answers 404 if it is unknown, in the body or the header', async () => {
    await put()
    const missing = { status: 404, body: { error: 'not_found' } }
    expect(await evaluate({ transaction_id: 'txn-none' })).toMatchObject(missing)
    const named = await t.call('POST', '/v1/policies/evaluate', {
      token: key,
      body: { agent_id: agent, tools: [] },
      headers: { 'x-transaction-id': 'txn-none' },
    })
    expect(named).toMatchObject(missing)
  })
})

describe('traces', () => {
  it('are evaluated against the policy at their own time, and a failure is announced as a violation', async () => {
    await put()
    const { body } = await postTrace()
    const findings = {
      verdict: 'fail',
      violations: 1,
      warnings: 0,
      tools: [WIPE],
      policy_id: expect.stringMatching(/^pol-/),
      policy_version: 1,
    }
    expect(body).toMatchObject({ policy: findings, verification: { verified: true } })
    const [event] = await storedEvents()
    expect(event?.all).toEqual(['trace.created', 'trace.verified', 'policy.violation'])
    expect(event?.trace.policy).toEqual(body.policy)
    const { body: read } = await t.call('GET', `/v1/traces/${body.trace_id}`, { token: key })
    expect(read.policy).toEqual(body.policy)
    expect((await list('?verdict=fail')).body.evaluations).toMatchObject([
      { trace_id: body.trace_id, context: 'runtime', verdict: 'fail' },
    ])
  })

  it('have no policy result without a policy, and record no first-seen tool', async () => {
    expect((await postTrace()).body.policy).toBeNull()
    expect((await list()).body.total).toBe(0)
    const seen = await sql`select from policy_first_seen where agent_id = ${agent}`.execute(
      t.app.kernel.db,
    )
    expect(seen.rows).toHaveLength(0)
  })

  it('of one batch count the tools of earlier ones as seen', async () => {
    await put(policy({ defaults: { unmapped_tool_action: 'block' } }))
    const at = (hours: number) =>
      trace({ timestamp: instant(hours * HOUR_MS), tools: ['unheard'], trace_id: id(hours) })
    const id = (hours: number) => `tr-${agent}-${hours}`
    const body = { traces: [at(-60), {}, at(-40), at(-36), at(-60)] }
    const { body: result } = await t.call('POST', '/v1/traces/batch', { token: key, body })
    expect(result).toMatchObject({ accepted: 3, duplicates: 1, rejected: 1 })
    const verdict = async (hours: number) =>
      (await t.call('GET', `/v1/traces/${id(hours)}`, { token: key })).body.policy.verdict
    expect([await verdict(-60), await verdict(-40), await verdict(-36)]).toEqual([
      'warn',
      'warn',
      'fail',
    ])
    expect((await evaluate({ tools: ['unheard'] })).body.verdict).toBe('fail')
  })

  it('give a checkpoint its violation type if only the policy failed', async () => {
    await put()
    const { body } = await postTrace()
    const thinking = textOf(count, VIOLATION)
    const posted = await t.call('POST', `/v1/agents/${agent}/checkpoints`, {
      token: key,
      body: { thinking, trace_id: body.trace_id },
    })
    expect(posted.body.checkpoint).toMatchObject({
      verdict: 'boundary_violation',
      violation_type: 'POLICY_VIOLATION',
    })
  })
})

describe('an evaluation by a caller that may not change anything', () => {
  it('is answered and not recorded, and starts no grace period', async () => {
    await put(STRICT)
    const token = await t.ownerToken()
    const made = await t.call('POST', '/v1/api-keys', {
      token,
      body: { scopes: ['read', 'decide'] },
    })
    const evaluations = () =>
      t.call('GET', `/v1/agents/${agent}/policy-evaluations`, { token: key })
    const auditor = await t.newUser(`auditor-${count}@example.com`, {
      orgId: t.first.org_id,
      role: 'auditor',
    })
    for (const token of [made.body.key, auditor.token]) {
      const answer = await evaluate({}, token)
      expect(answer).toMatchObject({ status: 200, body: { verdict: 'fail', evaluation_id: null } })
    }
    expect((await evaluations()).body.evaluations).toEqual([])
    const seen = await sql`select 1 from policy_first_seen where agent_id = ${agent}`.execute(
      t.app.kernel.db,
    )
    expect(seen.rows).toEqual([])
    expect((await evaluate()).body.evaluation_id).toMatch(/^pe-/)
    expect((await evaluations()).body.evaluations).toHaveLength(1)
  })
})

describe('POST /v1/policies/evaluate/historical', () => {
  it('evaluates each trace of the range, violations first', async () => {
    for (const hours of [-3, -2, -1]) {
      const timestamp = instant(hours * HOUR_MS)
      const trace_id = `tr-${agent}-h${hours}`
      await postTrace({ timestamp, trace_id, ...(hours === -2 ? { tools: [] } : {}) })
    }
    await put()
    const { status, body } = await historical({ time_range: range(-3 * HOUR_MS, -HOUR_MS) })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      agent_id: agent,
      traces_evaluated: 2,
      verdict: 'fail',
      violation_count: 1,
      violations: [{ trace_id: `tr-${agent}-h-3`, occurred_at: instant(-3 * HOUR_MS), tool: WIPE }],
      summary: { pass: 1, warn: 0, fail: 1 },
      truncated: false,
      policy_version: 1,
    })
    expect((await historical()).body.violations).toMatchObject([
      { trace_id: `tr-${agent}-h-3` },
      { trace_id: `tr-${agent}-h-1` },
    ])
    expect((await list()).body.total).toBe(0)
  })

  it('evaluates a candidate against past traces, even if no policy exists', async () => {
    await postTrace()
    expect(await historical()).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await historical({ policy: policy() })).body).toMatchObject({
      verdict: 'fail',
      policy_id: 'candidate',
      policy_version: 0,
      traces_evaluated: 1,
    })
  })

  it('replays limits and flows over the sessions of past traces, in the order of time', async () => {
    const traced: [hours: number, session_id: string, tool: string][] = [
      [-6, 'one', 'web_fetch'],
      [-5, 'one', 'mail_send'],
      [-4, 'two', 'mail_send'],
      [-3, 'two', 'web_fetch'],
      [-2, 'two', 'web_fetch'],
    ]
    for (const [hours, session_id, tool] of traced) {
      const name = `${agent}${hours}`
      const timestamp = instant(hours * HOUR_MS)
      const context = { session_id }
      const stored = await postTrace({ timestamp, trace_id: `tr-${name}`, context, tools: [tool] })
      expect(stored.status).toBe(201)
    }
    const sessionRules = {
      meta: { schema_version: '1.1', name: 'support', scope: 'agent' },
      forbidden: [],
      limits: [
        { name: 'once', tools: ['web_*'], max: 1, per: 'session', reason: 'One page is enough' },
      ],
      flows: [{ name: 'leak', from: ['web_*'], to: ['mail_*'], reason: 'Mail may carry pages' }],
      defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
    }
    const { status, body } = await historical({ policy: policy(sessionRules) })
    expect(status).toBe(200)
    const found = body.violations.map((one: { trace_id: string; type: string; rule: string }) => [
      one.trace_id,
      one.type,
      one.rule,
    ])
    expect(found.sort()).toEqual([
      [`tr-${agent}-2`, 'limit', 'agent/once'],
      [`tr-${agent}-5`, 'flow', 'agent/leak'],
    ])
    // A limit blocks, a flow asks a person.
    expect(body.summary).toEqual({ pass: 3, warn: 1, fail: 1 })
  })

  it('applies the grace period in context runtime', async () => {
    await put(STRICT)
    await postTrace({ tools: ['unheard'] })
    expect((await historical()).body.verdict).toBe('fail')
    expect((await historical({ context: 'runtime' })).body.verdict).toBe('warn')
  })

  it('answers 400 for a range that ends before it starts, 422 for more than 30 days', async () => {
    await put()
    expect(await historical({ time_range: range(0, 0) })).toMatchObject({
      status: 400,
      body: { details: [{ path: '/time_range' }] },
    })
    expect(await historical({ time_range: { start: instant(0) } })).toMatchObject({ status: 400 })
    expect(await historical({ time_range: range(0, 30 * DAY_MS) })).toMatchObject({ status: 200 })
    expect(await historical({ time_range: range(0, 30 * DAY_MS + 1) })).toMatchObject({
      status: 422,
      body: { error: 'validation_error' },
    })
    expect(await historical({}, foreign)).toMatchObject({ status: 404 })
  })

  it('evaluates the newest 10,000 traces', async () => {
    await put()
    await postTrace({ timestamp: instant(-HOUR_MS), trace_id: `tr-${agent}-a` })
    // Inserts the rows that ten thousand requests would store, in one statement.
    await sql`insert into trace (agent_id, trace_id, org_id, session_id, occurred_at, action_type,
        action_name, verified, violations, document, verification, input_hash, created_at, keep_until)
      select agent_id, trace_id || n, org_id, session_id, occurred_at + n * interval '10 ms',
        action_type, action_name, verified, violations, document, verification, input_hash,
        created_at, keep_until
      from trace, generate_series(1, 9999) n where agent_id = ${agent}`.execute(t.app.kernel.db)
    expect((await historical()).body).toMatchObject({ traces_evaluated: 10_000, truncated: false })
    await postTrace({ timestamp: instant(-HOUR_MS), trace_id: `tr-${agent}-b` })
    const { body } = await historical()
    expect(body).toMatchObject({
      traces_evaluated: 10_000,
      truncated: true,
      violation_count: 10_000,
    })
    expect(body.violations).toHaveLength(1000)
    // At the same timestamp, the trace with the smaller id is the older one.
    expect(body.violations[0].trace_id).toBe(`tr-${agent}-b`)
  })
})

describe('GET /v1/agents/{agent_id}/policy-evaluations', () => {
  it('is paged, newest first, filtered by verdict, and limited to the organisation', async () => {
    await put()
    for (const tools of [[WIPE], [], ['x']]) {
      await evaluate({ tools })
      t.clock.advance(1)
    }
    const verdicts = (answer: Awaited<ReturnType<typeof list>>) =>
      answer.body.evaluations.map((one: { verdict: string }) => one.verdict)
    expect(verdicts(await list())).toEqual(['warn', 'pass', 'fail'])
    expect(verdicts(await list('?page=2&per_page=2'))).toEqual(['fail'])
    expect(verdicts(await list('?verdict=pass'))).toEqual(['pass'])
    expect(await list('?verdict=none')).toMatchObject({ status: 400 })
    expect(await list('', foreign)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('deletes evaluations after 90 days, but not when tools were first seen', async () => {
    await put()
    await evaluate()
    t.clock.advance(90 * DAY_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    expect((await list()).body.total).toBe(1)
    t.clock.advance(DAY_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    expect((await list()).body.total).toBe(0)
    const seen = await sql`select from policy_first_seen where agent_id = ${agent}`.execute(
      t.app.kernel.db,
    )
    expect(seen.rows).toHaveLength(1)
  })
})

describe('erasing an agent', () => {
  it('deletes its evaluations and its first-seen tools', async () => {
    await put()
    await evaluate()
    const url = `/v1/agents/${agent}/erase`
    const token = await t.ownerToken()
    expect((await t.call('POST', url, { token, body: { confirm: agent } })).status).toBe(202)
    t.clock.advance(31 * DAY_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    for (const table of ['policy_evaluation', 'policy_first_seen', 'policy_violation_told']) {
      const left = await sql`select from ${sql.table(table)} where agent_id = ${agent}`.execute(
        t.app.kernel.db,
      )
      expect(left.rows).toHaveLength(0)
    }
  })
})
