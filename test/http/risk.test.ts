import { inputsCommitment } from '@touchstone/protocol/risk'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type RiskWorld, riskWorld } from '#harness/risk.ts'

let w: RiskWorld

beforeAll(async () => {
  w = await riskWorld()
})

const FIRST = {
  n: 347,
  components: [920, 720, 700, 650, 390],
  reputation: 756,
  violations: [
    { severity: 'high', days: 10 },
    { severity: 'medium', days: 40 },
  ],
} as const
/** This card sets no max_autonomous_value. */
const PLAIN_CARD = {
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['pay'] },
  audit_commitment: { retention_days: 30, queryable: false },
}
const SECOND = { n: 1200, components: [980, 1000, 960, 900, 750] } as const

const financial = (rest: object = {}) => ({ action_type: 'financial_transaction', ...rest })

describe('an assessment', () => {
  it('returns the numbers and texts of the first example, and is stored', async () => {
    const agentId = await w.agent({ agent_id: 'agent-b', card: PLAIN_CARD, ...FIRST })
    const { status, body } = await w.assess(agentId, financial({ amount: 50_000 }))
    expect(status).toBe(200)
    expect(body).toEqual({
      assessment_id: expect.stringMatching(/^ra-[0-9a-f-]{36}$/),
      agent_id: 'agent-b',
      risk_score: 0.4224,
      risk_level: 'medium',
      recommendation: 'approve',
      confidence: 0.8,
      contributing_factors: expect.any(Array),
      suggested_thresholds: { low: 0.25, medium: 0.5, high: 0.75, critical: 0.75 },
      breakdown: {
        context: 0.2795,
        recency: 0.7143,
        confidence_penalty: 0.1,
        base: 0.392,
        amount_surcharge: 0.05,
        counterparty_surcharge: 0,
      },
      circuit_breakers: [],
      context: {
        action_type: 'financial_transaction',
        risk_tolerance: 'moderate',
        amount: 50_000,
      },
      explanation:
        'financial_transaction under moderate tolerance scored 0.4224 (medium); recommendation: approve. Largest factors: Coherence Compatibility, Compliance, Drift Stability. Recent violations add 0.2143.',
      formula: 'risk-v1',
      inputs_commitment: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      proof_id: expect.stringMatching(/^prf-[0-9a-f-]{36}$/),
      proof_status: 'pending',
      created_at: w.t.clock.now().toISOString(),
    })
    expect(body.contributing_factors).toHaveLength(5)
    expect(body.contributing_factors[0]).toEqual({
      component: 'coherence_compatibility',
      label: 'Coherence Compatibility',
      weight: 0.15,
      raw_value: 390,
      risk_contribution: 0.0915,
      explanation:
        'Coherence Compatibility at 390 of 1000 with weight 0.15 adds 0.0915 to the context risk.',
    })
    const stored = await w.get(`/v1/risk/assessments/${body.assessment_id}`)
    expect(stored).toMatchObject({ status: 200, body })
    const strict = await w.assess(
      agentId,
      financial({ amount: 50_000, risk_tolerance: 'conservative' }),
    )
    expect(strict.body).toMatchObject({
      risk_score: 0.4224,
      risk_level: 'high',
      recommendation: 'review',
      suggested_thresholds: { low: 0.15, medium: 0.35, high: 0.55, critical: 0.55 },
    })
  })

  it('matches the other examples', async () => {
    const second = await w.agent({ agent_id: 'second', ...SECOND })
    const delegation = { action_type: 'task_delegation' }
    expect((await w.assess(second, delegation)).body).toMatchObject({
      risk_score: 0.0651,
      risk_level: 'low',
      recommendation: 'approve',
      confidence: 0.95,
      explanation:
        'task_delegation under moderate tolerance scored 0.0651 (low); recommendation: approve. Largest factors: Coherence Compatibility, Trace Completeness, Drift Stability.',
    })
    // This card declares a value that conflicts with the second agent's card.
    const values = { declared: ['hidden_fees'], definitions: { hidden_fees: { description: 'x' } } }
    const card = { ...PLAIN_CARD, values }
    const other = { ...SECOND, card, reputation: 640 }
    await w.agent({ agent_id: 'other', ...other }, w.foreign)
    expect(
      (await w.assess(second, { ...delegation, counterparty_id: 'other' })).body,
    ).toMatchObject({
      risk_score: 0.1455,
      risk_level: 'low',
      recommendation: 'review',
      circuit_breakers: ['counterparty_conflict'],
      breakdown: { counterparty_surcharge: 0.086 },
      context: { counterparty_id: 'other' },
    })
    const fresh = await w.newAgent({ agent_id: 'fresh' })
    expect((await w.assess(fresh, { action_type: 'data_access' })).body).toMatchObject({
      risk_score: 0.33,
      risk_level: 'medium',
      recommendation: 'review',
      confidence: 0.3,
      circuit_breakers: ['insufficient_history'],
    })
    const bad = await w.agent({
      agent_id: 'bad',
      n: 60,
      components: [100, 50, 0, 300, 750],
      reputation: 155,
      violations: [
        { severity: 'critical', days: 0 },
        { severity: 'critical', days: 3 },
      ],
    })
    const tool = { action_type: 'tool_invocation', risk_tolerance: 'aggressive' }
    expect((await w.assess(bad, tool)).body).toMatchObject({
      risk_score: 0.9,
      risk_level: 'critical',
      recommendation: 'deny',
      circuit_breakers: ['reputation_floor', 'recent_critical_violation'],
      breakdown: { base: 0.827, recency: 1 },
      explanation: expect.stringContaining(
        ' Safety rules applied: reputation_floor, recent_critical_violation.',
      ),
    })
  })

  it("includes the card's max_autonomous_value and an unknown counterparty", async () => {
    // The default card of the harness has a max_autonomous_value of 100.
    const sixth = { n: 1500, components: [990, 1000, 1000, 980, 900] } as const
    const agentId = await w.agent({ agent_id: 'sixth', ...sixth })
    const asked = financial({
      amount: 25_000,
      risk_tolerance: 'conservative',
      counterparty_id: 'nobody at all',
    })
    expect((await w.assess(agentId, asked)).body).toMatchObject({
      risk_score: 0.1083,
      risk_level: 'low',
      recommendation: 'review',
      circuit_breakers: ['autonomy_limit'],
      breakdown: { base: 0.012, amount_surcharge: 0.05, counterparty_surcharge: 0.05 },
    })
    const within = await w.assess(agentId, financial({ amount: 100 }))
    expect(within.body.circuit_breakers).toEqual([])
    const above = await w.assess(agentId, financial({ amount: 100.01 }))
    expect(above.body.circuit_breakers).toEqual(['autonomy_limit'])
    const other = await w.assess(agentId, { action_type: 'data_access', amount: 100.01 })
    expect(other.body).toMatchObject({ circuit_breakers: [], breakdown: { amount_surcharge: 0 } })
  })

  it('reveals nothing about an agent that the caller cannot see', async () => {
    const agentId = await w.agent({ agent_id: 'third', ...SECOND })
    const secret = { agent_id: 'secret', ...SECOND, visibility: 'private' }
    await w.agent(secret, w.foreign)
    const asked = { action_type: 'task_delegation', counterparty_id: 'secret' }
    expect((await w.assess(agentId, asked)).body).toMatchObject({
      breakdown: { counterparty_surcharge: 0.05 },
    })
    expect(await w.assess('secret', { action_type: 'data_access' })).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
    expect((await w.assess('secret', asked, { token: w.foreign })).status).toBe(422)
    const unlisted = { agent_id: 'unlisted', ...SECOND, visibility: 'unlisted' }
    await w.agent(unlisted, w.foreign)
    expect((await w.assess('unlisted', { action_type: 'data_access' })).status).toBe(200)
  })

  it('moves towards the average for a short history, and is computed if no score is published', async () => {
    const agentId = await w.agent({ agent_id: 'young', n: 10 })
    const { body } = await w.assess(agentId, { action_type: 'data_access' })
    const values = Object.fromEntries(
      body.contributing_factors.map((one: { component: string; raw_value: number }) => [
        one.component,
        one.raw_value,
      ]),
    )
    // Ten of 50 checkpoints, with raw values of 1000, 1000, 1000, 0 and 750.
    expect(values).toEqual({
      integrity_ratio: 600,
      compliance: 600,
      drift_stability: 600,
      trace_completeness: 400,
      coherence_compatibility: 550,
    })
    const rated = await w.agent({ agent_id: 'unpublished', n: 50 })
    const inputs = await inputsOf((await w.assess(rated, { action_type: 'data_access' })).body)
    expect(inputs).toMatchObject({ reputation: 875, components: [1000, 1000, 1000, 0, 750] })
  })

  it('denies a contained agent, and requires review for a contained counterparty', async () => {
    const agentId = await w.agent({ agent_id: 'stopped', ...SECOND })
    const beside = await w.agent({ agent_id: 'beside', ...SECOND })
    await w.t.call('POST', `/v1/orgs/${w.org}/agents/${agentId}/pause`, {
      token: w.key,
      body: { reason: 'x' },
    })
    expect((await w.assess(agentId, { action_type: 'data_access' })).body).toMatchObject({
      risk_score: 0.9,
      risk_level: 'critical',
      recommendation: 'deny',
      circuit_breakers: ['agent_contained'],
    })
    const asked = { action_type: 'task_delegation', counterparty_id: agentId }
    expect((await w.assess(beside, asked)).body).toMatchObject({
      recommendation: 'review',
      circuit_breakers: ['counterparty_contained'],
    })
  })

  it('ignores card gaps and violations older than 180 days', async () => {
    const agentId = await w.agent({
      agent_id: 'forgiven',
      ...SECOND,
      violations: [
        { severity: 'critical', days: 0, cardGap: true },
        { severity: 'critical', days: 180 },
        { severity: 'low', days: 179 },
      ],
    })
    const { body } = await w.assess(agentId, { action_type: 'data_access' })
    expect(body).toMatchObject({ circuit_breakers: [], breakdown: { recency: 0.0016 } })
    expect((await inputsOf(body)).violations).toEqual([['low', 179]])
  })
})

const inputsOf = async ({ assessment_id: id }: { assessment_id: string }) =>
  (await w.get(`/v1/risk/assessments/${id}/inputs`)).body.inputs

describe('the inputs of an assessment', () => {
  it('open its commitment', async () => {
    const agentId = await w.agent({ agent_id: 'opened', ...FIRST })
    const { body } = await w.assess(agentId, financial({ amount: 0.29 }))
    const opened = await w.get(`/v1/risk/assessments/${body.assessment_id}/inputs`)
    expect(opened).toMatchObject({
      status: 200,
      body: { formula: 'risk-v1', inputs_commitment: body.inputs_commitment },
    })
    expect(opened.body.inputs).toEqual({
      v: 1,
      kind: 'individual',
      formula: 'risk-v1',
      assessment_id: body.assessment_id,
      agent_id: 'opened',
      as_of: body.created_at,
      action_type: 'financial_transaction',
      risk_tolerance: 'moderate',
      analysed_checkpoints: 347,
      reputation: 756,
      components: [920, 720, 700, 650, 390],
      violations: [
        ['high', 10],
        ['medium', 40],
      ],
      contained: false,
      amount_minor: 29,
      max_autonomous_minor: 10_000,
      counterparty: null,
      merkle_root: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      salt: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(inputsCommitment(opened.body.inputs)).toBe(body.inputs_commitment)
  })

  it('are shown only for the caller’s own agents', async () => {
    await w.agent({ agent_id: 'theirs', ...SECOND }, w.foreign)
    const { body } = await w.assess('theirs', { action_type: 'data_access' })
    const url = `/v1/risk/assessments/${body.assessment_id}/inputs`
    expect(await w.get(url)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(await w.get(url, w.foreign)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await w.get('/v1/risk/assessments/ra-none/inputs')).status).toBe(404)
    expect((await w.get('/v1/risk/assessments/tra-none/inputs')).status).toBe(404)
  })
})

describe('stored assessments', () => {
  it('are listed newest first, only to the organisation that requested them', async () => {
    const agentId = await w.agent({ agent_id: 'listed', ...SECOND })
    const created: string[] = []
    for (let n = 0; n < 3; n += 1) {
      w.t.clock.advance(1000)
      const { body } = await w.assess(agentId, { action_type: 'data_access', use_case: `${n}` })
      created.unshift(body.assessment_id)
    }
    await w.assess(agentId, { action_type: 'data_access' }, { token: w.foreign })
    const { body } = await w.get('/v1/risk/history/listed')
    expect(body).toMatchObject({ agent_id: 'listed', total: 3, limit: 50 })
    const idsOf = (list: { assessment_id: string }[]) => list.map((one) => one.assessment_id)
    expect(idsOf(body.assessments)).toEqual(created)
    const two = (await w.get('/v1/risk/history/listed?limit=2')).body
    expect(two).toMatchObject({ total: 3, limit: 2 })
    expect(idsOf(two.assessments)).toEqual(created.slice(0, 2))
    expect((await w.get('/v1/risk/history/listed?limit=100000')).body.limit).toBe(200)
    expect((await w.get('/v1/risk/history/listed', w.foreign)).body.total).toBe(1)
    expect(await w.get(`/v1/risk/assessments/${created[0]}`, w.foreign)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
    expect(await w.get('/v1/risk/history/nobody')).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
  })

  it('are readable by auditors, who cannot request one', async () => {
    const agentId = await w.agent({ agent_id: 'audited', ...SECOND })
    const { body } = await w.assess(agentId, { action_type: 'data_access' })
    const invite = { orgId: w.org, role: 'auditor' }
    const { token } = await w.t.newUser('auditor@example.com', invite)
    expect((await w.get(`/v1/risk/assessments/${body.assessment_id}`, token)).status).toBe(200)
    const refused = await w.assess(agentId, { action_type: 'data_access' }, { token })
    expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect((await w.t.call('GET', '/v1/risk/history/audited')).status).toBe(401)
  })

  it('cannot be changed or deleted by an ordinary statement', async () => {
    const { db } = w.t.app.kernel
    const change = sql`update risk_assessment set explanation = ''`.execute(db)
    await expect(change).rejects.toThrow()
    await expect(sql`delete from risk_assessment`.execute(db)).rejects.toThrow()
  })

  it('are replayed for their Idempotency-Key', async () => {
    const agentId = await w.agent({ agent_id: 'repeated', ...SECOND })
    const ask = () =>
      w.t.call('POST', '/v1/risk/assess', {
        token: w.key,
        headers: { 'idempotency-key': 'once' },
        body: { agent_id: agentId, context: { action_type: 'data_access' } },
      })
    expect((await ask()).body).toEqual((await ask()).body)
    expect((await w.get('/v1/risk/history/repeated')).body.total).toBe(1)
  })
})

describe('invalid input', () => {
  const asked = { action_type: 'data_access' }
  it.each([
    ['no body', undefined],
    ['malformed JSON', '{'],
    ['no agent', { context: asked }],
    ['an empty agent', { agent_id: '', context: asked }],
    ['no context', { agent_id: 'agent-b' }],
    ['no action', { agent_id: 'agent-b', context: {} }],
    ['an unknown action', { agent_id: 'agent-b', context: { action_type: 'dance' } }],
    [
      'an unknown tolerance',
      { agent_id: 'agent-b', context: { ...asked, risk_tolerance: 'high' } },
    ],
    ['a negative amount', { agent_id: 'agent-b', context: { ...asked, amount: -0.01 } }],
    ['too large an amount', { agent_id: 'agent-b', context: { ...asked, amount: 1e12 + 1 } }],
    [
      'an amount with three decimals',
      { agent_id: 'agent-b', context: { ...asked, amount: 0.001 } },
    ],
    ['an amount as text', { agent_id: 'agent-b', context: { ...asked, amount: 'ten' } }],
    [
      'itself as counterparty',
      { agent_id: 'agent-b', context: { ...asked, counterparty_id: 'agent-b' } },
    ],
    [
      'a long counterparty_id',
      { agent_id: 'agent-b', context: { ...asked, counterparty_id: 'x'.repeat(129) } },
    ],
    ['a long use_case', { agent_id: 'agent-b', context: { ...asked, use_case: 'x'.repeat(501) } }],
    ['a prove that is not a boolean', { agent_id: 'agent-b', context: asked, prove: 'yes' }],
    ['a list', []],
  ])('%s is 422, never 400', async (_name, body) => {
    const headers = { 'content-type': 'application/json' }
    const call = { token: w.key, headers, ...(body === undefined ? {} : { body }) }
    expect(await w.t.call('POST', '/v1/risk/assess', call)).toMatchObject({
      status: 422,
      body: { error: 'validation_error', message: expect.any(String) },
    })
  })

  it('does not include the largest allowed amount', async () => {
    const body = { prove: false }
    const { status } = await w.assess('agent-b', { ...asked, amount: 1e12 }, { body })
    expect(status).toBe(200)
  })

  it.each(['0', '-1', '1.5', 'many', ''])('a limit of "%s" is 422', async (limit) => {
    expect(await w.get(`/v1/risk/history/agent-b?limit=${limit}`)).toMatchObject({
      status: 422,
      body: { error: 'validation_error' },
    })
  })

  it('is 422 even if other endpoints answer 400 before reading the body', async () => {
    const call = { token: w.key, headers: { 'idempotency-key': 'x'.repeat(256) }, body: {} }
    expect((await w.t.call('POST', '/v1/risk/assess', call)).status).toBe(422)
    expect((await w.get('/v1/risk/history/a%00b')).status).toBe(422)
  })
})

describe('the plan', () => {
  it('meters assessments and ends the free allowance', async () => {
    const agentId = await w.agent({ agent_id: 'metered', ...SECOND })
    const asked = { action_type: 'data_access' }
    const usage = async () =>
      (await w.get(`/v1/orgs/${w.org}/plan`)).body.usage.risk_assessment.used
    const before = await usage()
    await w.assess(agentId, asked)
    expect(await usage()).toBe(before + 1)
    await w.setPlan('plan-free', { included: { risk_assessment: before + 4 } })
    const answers = await Promise.all(Array.from({ length: 8 }, () => w.assess(agentId, asked)))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200, 200, 200, 429, 429, 429, 429, 429,
    ])
    const refused = answers.find(({ status }) => status === 429)
    const now = w.t.clock.now()
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
    expect(refused).toMatchObject({
      body: { error: 'rate_limited' },
      headers: { 'retry-after': String(Math.ceil((end - now.getTime()) / 1000)) },
    })
    expect(await usage()).toBe(before + 4)
    const team = await w.assessTeam({ agent_ids: ['metered', 'agent-b'], context: asked })
    expect(team).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    await w.setPlan('plan-enterprise')
    expect((await w.assess(agentId, asked)).status).toBe(200)
  })

  it('announces that most of the allowance is used, and that all of it is', async () => {
    await w.setPlan('plan-team', { included: { risk_assessment: 1 } })
    const asked = { action_type: 'data_access' }
    expect((await w.assess('metered', asked)).status).toBe(200)
    w.t.clock.advance(60_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const events = await sql<{ type: string; meter: string }>`select type, data ->> 'meter' as meter
      from event where type like 'quota.%' order by type`.execute(w.t.app.kernel.db)
    expect(events.rows).toEqual([
      { type: 'quota.exceeded', meter: 'risk_assessment' },
      { type: 'quota.warning', meter: 'risk_assessment' },
    ])
    await w.setPlan('plan-enterprise')
  })
})

describe('an erased agent', () => {
  it('loses the assessments of itself and those with it as the counterparty', async () => {
    const gone = await w.agent({ agent_id: 'gone', ...SECOND })
    const stays = await w.agent({ agent_id: 'stays', ...SECOND })
    await w.assess(gone, { action_type: 'data_access' }, { token: w.foreign })
    await w.assess(stays, { action_type: 'task_delegation', counterparty_id: gone })
    await w.assess(stays, { action_type: 'data_access' })
    const token = await w.t.ownerToken()
    const erase = { token, body: { confirm: gone } }
    expect((await w.t.call('POST', '/v1/agents/gone/erase', erase)).status).toBe(202)
    w.t.clock.advance(31 * 24 * 3_600_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const left = await sql<{ agent_id: string; counterparty_id: string | null }>`
      select agent_id, counterparty_id from risk_assessment
      where agent_id in ('gone', 'stays')`.execute(w.t.app.kernel.db)
    expect(left.rows).toEqual([{ agent_id: 'stays', counterparty_id: null }])
  })
})
