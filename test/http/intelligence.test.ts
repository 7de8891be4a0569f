import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { type ModelServer, startModelServer } from '#harness/model-server.ts'
import {
  FORECAST_REPLY,
  RECOMMENDATION_REPLY,
  THREE,
} from '../../packages/server/src/areas/fleet/intelligence/intelligence.fixture.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const YEAR_MS = 365 * DAY_MS

let server: ModelServer
let t: TestApp
let key: string
let orgId: string
let count = 0
/** A team of three agents with the cards of the vectors. */
let team: { id: string; agents: string[] }

beforeAll(async () => {
  server = await startModelServer()
  t = await testApp({
    env: { MODEL_PROVIDER: 'anthropic', MODEL_URL: server.url, MODEL_NAME: 'm-1' },
  })
  key = t.first.api_key
  orgId = t.first.org_id
})

beforeEach(async () => {
  server.plan({ text: 'Not today.' })
  team = await newTeam()
})

async function newTeam(token = key, org = orgId) {
  count += 1
  const agents: string[] = []
  for (const { agent_id, issued_at: _, ...card } of THREE) {
    const id = `${agent_id}-${count}`
    const body = { agent_id: id, card: { ...card, agent_id: id } }
    expect(await t.call('POST', '/v1/agents', { token, body })).toMatchObject({ status: 201 })
    agents.push(id)
  }
  const body = { org_id: org, name: `Team ${count}`, agent_ids: agents }
  const created = await t.call('POST', '/v1/teams', { token, body })
  expect(created.status).toBe(201)
  return { id: String(created.body.team.id), agents }
}

const post = (what: string, body: unknown, token: string | undefined = key, headers = {}) =>
  t.call('POST', `/v1/teams/${what}`, { token, body, headers })
const faultLines = (team_id = team.id) => post('fault-lines', { team_id })
const forecast = (fault_line_analysis_id: string, team_id = team.id) =>
  post('forecast', { team_id, fault_line_analysis_id })
const recommend = (team_id = team.id) => post('recommend-policy', { team_id })
const analysed = async () => String((await faultLines()).body.analysis_id)
const list = (query = '', token: string | undefined = key) =>
  t.call('GET', `/v1/teams/${team.id}/intelligence${query}`, { token })
const get = (id: string, token: string | undefined = key) =>
  t.call('GET', `/v1/teams/${team.id}/intelligence/${id}`, { token })
/** Session tokens expire during some of these tests, so each call signs in again. */
const asOwner = async (method: string, url: string, body?: object) =>
  t.call(method, url, { token: await t.ownerToken(), body })

describe('fault lines', () => {
  it('are found among the members of a team, and stored', async () => {
    const { status, body } = await faultLines()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      team_id: team.id,
      analysis_id: expect.stringMatching(/^fla-[0-9a-f-]{36}$/),
      fleet_score: 0.5233,
      agents_without_card: [],
      summary: {
        total: 5,
        resolvable: 0,
        priority_mismatch: 3,
        incompatible: 2,
        critical_count: 2,
      },
      produced_by: { kind: 'algorithm', name: 'touchstone-fault-lines', version: 'fault-lines-1' },
      created_at: t.clock.now().toISOString(),
    })
    const [a, b, c] = team.agents
    expect(body.fault_lines[0]).toEqual({
      id: expect.stringMatching(/^fl-[0-9a-f]{12}$/),
      value: 'data_hoarding',
      classification: 'incompatible',
      severity: 'critical',
      agents_declaring: [c],
      agents_missing: [a, b],
      agents_conflicting: [a],
      impact_score: 0.6667,
      resolution_hint: `${a} rejects "data_hoarding", declared by ${c}; a person must decide.`,
      affects_capabilities: ['search'],
    })
    expect(body).not.toHaveProperty('fallback_reason')
    expect((await get(body.analysis_id)).body).toEqual(body)
  })

  it('ignore members whose card has expired, and require at least one valid card', async () => {
    const expires_at = new Date(t.clock.nowMs() + DAY_MS).toISOString()
    const expire = async (agentId: string | undefined) => {
      const url = `/v1/agents/${agentId}/card`
      const body = { card_json: { expires_at } }
      expect((await asOwner('PATCH', url, body)).status).toBe(200)
    }
    await expire(team.agents[1])
    t.clock.advance(DAY_MS + 1)
    expect((await faultLines()).body).toMatchObject({ agents_without_card: [team.agents[1]] })
    t.clock.advance(-DAY_MS - 1)
    await expire(team.agents[0])
    await expire(team.agents[2])
    t.clock.advance(DAY_MS + 1)
    expect(await faultLines()).toMatchObject({ status: 422, body: { error: 'validation_error' } })
  })

  it('store the coherence score of each pair of members', async () => {
    await faultLines()
    const { rows } = await sql<{ score_e4: number }>`select score_e4 from coherence_pair
      where agent_a = any(${team.agents}) order by agent_a, agent_b`.execute(t.app.kernel.db)
    expect(rows.map(({ score_e4 }) => score_e4)).toEqual([5000, 3200, 7500])
  })
})

describe('a forecast', () => {
  it('is the model’s, with its aliases resolved to ids', async () => {
    const { analysis_id, fault_lines } = (await faultLines()).body
    server.plan({ reply: FORECAST_REPLY })
    const { status, body } = await forecast(analysis_id)
    expect(status).toBe(200)
    const [a, , c] = team.agents
    expect(body).toEqual({
      forecast_id: expect.stringMatching(/^fc-[0-9a-f-]{36}$/),
      fault_line_analysis_id: analysis_id,
      failure_modes: [
        {
          mode: 'coordination_deadlock',
          description: `${a} and ${c} block each other over "data_hoarding".`,
          probability: 0.6124,
          severity: 'critical',
          triggered_by: [fault_lines[0].id, fault_lines[1].id],
          affected_agents: [a, c],
          mitigation_available: true,
        },
      ],
      overall_risk_level: 'high',
      confidence: 0.8,
      created_at: t.clock.now().toISOString(),
      produced_by: { kind: 'model', name: 'anthropic/m-1', version: 'prompt-1' },
    })
    expect((await get(body.forecast_id)).body).toEqual(body)
    for (const hidden of [...team.agents, team.id, analysis_id, 'Team', orgId]) {
      expect(server.questions[0]?.raw).not.toContain(hidden)
    }
  })

  it('falls back to the rules if the model gives none, and says why', async () => {
    const { body } = await forecast(await analysed())
    expect(body).toMatchObject({
      overall_risk_level: 'critical',
      confidence: 0.6,
      fallback_reason: 'invalid_output',
      produced_by: { kind: 'rules', name: 'touchstone-rules', version: 'rules-1' },
      failure_modes: [
        { mode: 'value_override', probability: 0.7111, severity: 'critical' },
        { mode: 'escalation_conflict', probability: 0.4559, severity: 'high' },
        { mode: 'coordination_deadlock', probability: 0.4445, severity: 'critical' },
        { mode: 'trust_erosion', probability: 0.286, severity: 'medium' },
      ],
    })
    expect((await get(body.forecast_id)).body).toEqual(body)
  })

  it('does not block other requests while the model is working', async () => {
    const analysis_id = await analysed()
    let meanwhile: number[] = []
    server.plan({
      reply: FORECAST_REPLY,
      async meanwhile() {
        const others = [
          list(),
          faultLines(),
          t.call('GET', `/v1/orgs/${orgId}/teams`, { token: key }),
        ]
        meanwhile = (await Promise.all(others)).map(({ status }) => status)
      },
    })
    expect((await forecast(analysis_id)).body.produced_by.kind).toBe('model')
    expect(meanwhile).toEqual([200, 200, 200])
  })

  it('requires an existing analysis of the same team', async () => {
    expect(await forecast('fla-none')).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const other = await newTeam()
    const answer = await forecast(await analysed(), other.id)
    expect(answer).toMatchObject({ status: 422, body: { error: 'validation_error' } })
  })
})

describe('a recommended policy', () => {
  it('falls back to the rules if the model gives none, and can be stored unchanged', async () => {
    expect(await recommend()).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    await analysed()
    const { status, body } = await recommend()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      recommendation_id: expect.stringMatching(/^rec-[0-9a-f-]{36}$/),
      confidence: 0.6,
      forecast_summary: { risk_reduction: 'critical → high', fault_lines_resolved: 4 },
      validation: { valid: true, errors: [] },
      produced_by: { kind: 'rules' },
      fallback_reason: 'invalid_output',
    })
    // No policy maps a tool, so none is granted.
    expect(body.policy.capability_mappings).toEqual({})
    expect(body.useful).toBe(true)
    expect(body.policy.forbidden).toHaveLength(4)
    expect(body.policy.escalation_triggers).toHaveLength(1)
    expect(body.reasoning_chain.map(({ step }: { step: number }) => step)).toEqual([1, 2, 3, 4, 5])
    expect((await get(body.recommendation_id)).body).toEqual(body)
    const url = `/v1/teams/${team.id}/policy`
    expect(await t.call('GET', url, { token: key })).toMatchObject({ status: 404 })
    expect(await asOwner('PUT', url, body.policy)).toMatchObject({ status: 200 })
  })

  it('contains the tools that the organisation maps, and no other', async () => {
    const policy = {
      meta: { schema_version: '1.0', name: 'org', scope: 'org' },
      capability_mappings: { web: { tools: ['mcp__web__find'], card_actions: ['search'] } },
    }
    expect((await asOwner('PUT', `/v1/orgs/${orgId}/policy`, policy)).status).toBe(200)
    await analysed()
    expect((await recommend()).body.policy.capability_mappings).toEqual({
      search: { tools: ['mcp__web__find'], card_actions: ['search'] },
    })
    expect((await asOwner('DELETE', `/v1/orgs/${orgId}/policy`)).status).toBe(204)
  })

  it('is the model’s, added to the rules’', async () => {
    await analysed()
    server.plan({ reply: RECOMMENDATION_REPLY })
    const { body } = await recommend()
    expect(body).toMatchObject({
      produced_by: { kind: 'model', name: 'anthropic/m-1' },
      confidence: 0.75,
      validation: { valid: true, errors: [] },
      forecast_summary: { fault_lines_resolved: 1 },
    })
    expect(body.policy.forbidden).toHaveLength(5)
    expect(body.policy.capability_mappings).toEqual({})
    expect(body.reasoning_chain).toHaveLength(2)
  })
})

describe('the intelligence results of a team', () => {
  it('are listed newest first, by type, in pages', async () => {
    const analysis = await analysed()
    const { forecast_id } = (await forecast(analysis)).body
    const { recommendation_id } = (await recommend()).body
    const { body } = await list()
    expect(body).toMatchObject({ total: 3, page: 1, per_page: 20 })
    expect(body.items).toMatchObject([
      { id: recommendation_id, type: 'recommendation', produced_by: { kind: 'rules' } },
      { id: forecast_id, type: 'forecast' },
      { id: analysis, type: 'fault_lines', produced_by: { kind: 'algorithm' } },
    ])
    expect((await list('?type=forecast')).body.total).toBe(1)
    expect((await list('?page=2&per_page=2')).body.items).toMatchObject([{ id: analysis }])
    expect(await list('?type=gossip')).toMatchObject({ status: 400 })
  })

  it('are readable with read permission, and requested with write permission', async () => {
    const analysis = await analysed()
    const { token } = await t.newUser(`auditor-${count}@example.com`, { orgId, role: 'auditor' })
    expect(await list('', token)).toMatchObject({ status: 200 })
    expect(await get(analysis, token)).toMatchObject({ status: 200 })
    expect(await post('fault-lines', { team_id: team.id }, token)).toMatchObject({ status: 403 })
    const member = await t.newUser(`member-${count}@example.com`, { orgId, role: 'member' })
    expect(await post('fault-lines', { team_id: team.id }, member.token)).toMatchObject({
      status: 200,
    })
  })

  it('are 404 for other organisations, and so is the team', async () => {
    const analysis = await analysed()
    const { token } = await t.newUser(`stranger-${count}@example.com`)
    const org = { name: 'strangers', slug: `strangers-${count}` }
    expect((await t.call('POST', '/v1/orgs', { token, body: org })).status).toBe(201)
    const body = { team_id: team.id, fault_line_analysis_id: analysis }
    for (const what of ['fault-lines', 'forecast', 'recommend-policy']) {
      expect(await post(what, body, token)).toMatchObject({
        status: 404,
        body: { error: 'not_found', message: 'No such team.' },
      })
    }
    expect(await list('', token)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect(await get(analysis, token)).toMatchObject({ status: 404 })
    expect(await get('fla-none')).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('stay readable for an archived team, which gets no new ones', async () => {
    const analysis = await analysed()
    expect((await asOwner('DELETE', `/v1/teams/${team.id}`)).status).toBe(200)
    expect(await get(analysis)).toMatchObject({ status: 200 })
    for (const answer of [await faultLines(), await forecast(analysis), await recommend()]) {
      expect(answer).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    }
  })

  it('are deleted with an erased agent, and after a year', async () => {
    const analysis = await analysed()
    const other = team
    team = await newTeam()
    const kept = await analysed()
    const [agent] = other.agents
    const erased = await asOwner('POST', `/v1/agents/${agent}/erase`, { confirm: agent })
    expect(erased.status).toBe(202)
    const purge = async () => {
      await t.app.kernel.schedules.fireDue()
      await t.settle()
    }
    t.clock.advance(31 * DAY_MS)
    await purge()
    expect(
      await t.call('GET', `/v1/teams/${other.id}/intelligence/${analysis}`, { token: key }),
    ).toMatchObject({ status: 404 })
    expect(await get(kept)).toMatchObject({ status: 200 })
    t.clock.advance(YEAR_MS)
    await purge()
    expect(await get(kept)).toMatchObject({ status: 404 })
  })
})

describe('an intelligence request', () => {
  it.each<[string, string, object]>([
    ['no team', 'fault-lines', {}],
    ['a team_id that is not a string', 'fault-lines', { team_id: 7 }],
    ['no analysis', 'forecast', { team_id: 'team-x' }],
    [
      'an analysis id that is not a string',
      'forecast',
      { team_id: 'team-x', fault_line_analysis_id: [] },
    ],
    ['no team', 'recommend-policy', { team: 'x' }],
  ])('with %s for %s is 400', async (_, what, body) => {
    expect(await post(what, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  it('needs a credential', async () => {
    const answer = await t.call('POST', '/v1/teams/fault-lines', { body: { team_id: team.id } })
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await t.call('GET', `/v1/teams/${team.id}/intelligence`)).toMatchObject({ status: 401 })
  })

  it('repeated with its idempotency key runs once', async () => {
    const headers = { 'idempotency-key': `once-${count}` }
    const body = { team_id: team.id }
    const first = await post('fault-lines', body, key, headers)
    const again = await post('fault-lines', body, key, headers)
    expect(again.body).toEqual(first.body)
    expect((await list()).body.total).toBe(1)
  })

  it('is 402 if the plan lacks the feature, whatever the team or analysis', async () => {
    const setPlan = (plan_id: string) => asOwner('PUT', `/v1/admin/orgs/${orgId}/plan`, { plan_id })
    expect((await setPlan('plan-developer')).status).toBe(200)
    const body = { team_id: team.id, fault_line_analysis_id: 'fla-none' }
    for (const what of ['fault-lines', 'forecast', 'recommend-policy']) {
      expect(await post(what, body)).toMatchObject({
        status: 402,
        body: { error: 'feature_required' },
      })
    }
    expect(await list()).toMatchObject({ status: 402 })
    expect((await setPlan('plan-team')).status).toBe(200)
    expect(await faultLines()).toMatchObject({ status: 200 })
    expect((await setPlan('plan-enterprise')).status).toBe(200)
  })
})

describe('rate limits', () => {
  it('allow ten requests a minute for each of the three endpoints', async () => {
    const limited = await testApp({ env: { RATE_LIMITS: 'on' } })
    for (const what of ['fault-lines', 'forecast', 'recommend-policy']) {
      const body = { team_id: 'team-x', fault_line_analysis_id: 'x' }
      const knock = () =>
        limited.call('POST', `/v1/teams/${what}`, { token: limited.first.api_key, body })
      for (let i = 0; i < 10; i += 1) expect((await knock()).status).toBe(404)
      const refused = await knock()
      expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
      expect(refused.headers).toHaveProperty('retry-after')
    }
  })
})
