import { inputsCommitment } from '@touchstone/protocol/risk'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { holdTransaction } from '#harness/held-transaction.ts'
import { type RiskWorld, riskWorld, TEAM } from '#harness/risk.ts'

let w: RiskWorld

beforeAll(async () => {
  w = await riskWorld()
  for (const member of TEAM) await w.agent(member)
})

const context = (mode?: string, rest: object = {}) => ({
  action_type: 'multi_agent_coordination',
  ...(mode === undefined ? {} : { coordination_mode: mode }),
  ...rest,
})

const assess = (agentIds: readonly string[], mode?: string, rest: object = {}) =>
  w.assessTeam({ agent_ids: agentIds, context: context(mode, rest) })

describe('a team assessment', () => {
  it('returns the numbers of the three-agent example', async () => {
    const { status, body } = await assess(['agent-a', 'agent-b', 'agent-c'], undefined, {
      team_task: 'Tidy up',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      assessment_id: expect.stringMatching(/^tra-[0-9a-f-]{36}$/),
      team_id: null,
      agent_ids: ['agent-a', 'agent-b', 'agent-c'],
      team_risk_score: 0.4115,
      team_risk_level: 'high',
      team_coherence_score: 0.5885,
      team_recommendation: 'approve_individuals_only',
      synergy_type: 'anti-synergistic',
      portfolio_risk: 0.3935,
      coherence_risk: 0.5126,
      structural_risk: 0.2512,
      weakest_link_risk: 0.53,
      concentration_risk: 0.138,
      circuit_breakers: [],
      shapley_values: { 'agent-a': 0.2284, 'agent-b': 0.2638, 'agent-c': 0.0963 },
      risk_attribution: { 'agent-a': 0.105, 'agent-b': 0.0695, 'agent-c': 0.237 },
      shapley_method: { method: 'exact', permutations: 0, std_error: 0 },
      outliers: [
        {
          agent_id: 'agent-c',
          individual_risk_score: 0.53,
          shapley_value: 0.0963,
          systemic_contribution: 0.6385,
          primary_risk_factors: ['Coherence Compatibility', 'Compliance'],
        },
      ],
      clusters: [],
      context: {
        action_type: 'multi_agent_coordination',
        risk_tolerance: 'moderate',
        team_task: 'Tidy up',
      },
      explanation:
        'Team of 3 for multi_agent_coordination (no mode) scored 0.4115 (high); recommendation: approve_individuals_only. Portfolio 0.3935, coherence 0.5126, structural 0.2512. Highest individual risk: agent-c at 0.5300.',
      formula: 'team-risk-v1',
      proof_id: null,
      proof_status: 'none',
      created_at: w.t.clock.now().toISOString(),
    })
    expect(body.value_divergences).toHaveLength(3)
    expect(body.value_divergence_count).toBe(3)
    expect(body.value_divergences[0]).toEqual({
      value: 'data_hoarding',
      declaring_agents: ['agent-c'],
      missing_agents: ['agent-a', 'agent-b'],
      conflicting_agents: ['agent-a'],
      risk_impact: 1,
    })
    const own = body.individual_assessments
    expect(own.map((one: { risk_score: number }) => one.risk_score)).toEqual([0.1572, 0.3378, 0.53])
    expect(own[0]).toMatchObject({
      agent_id: 'agent-a',
      assessment_id: null,
      proof_id: null,
      proof_status: 'none',
      inputs_commitment: null,
      explanation: expect.stringMatching(/^multi_agent_coordination under moderate tolerance/),
    })
    const stored = await w.get(`/v1/risk/team-assessments/${body.assessment_id}`)
    expect(stored).toMatchObject({ status: 200, body })
  })

  it.each([
    ['parallel', 0.3801, [0.239, 0.2683, 0.1126], 0.1256],
    ['sequential', 0.3699, [0.2452, 0.2675, 0.1174], 0.0845],
    ['hierarchical', 0.3794, [0.2355, 0.2708, 0.1143], 0.1226],
    ['consensus', 0.4115, [0.2284, 0.2638, 0.0963], 0.2512],
  ])('matches the example in mode %s', async (mode, risk, [a, b, c], structural) => {
    const { body } = await assess(['agent-a', 'agent-b', 'agent-c'], mode)
    expect(body).toMatchObject({
      team_risk_score: risk,
      structural_risk: structural,
      shapley_values: { 'agent-a': a, 'agent-b': b, 'agent-c': c },
      team_risk_level: mode === 'consensus' ? 'high' : 'medium',
      team_recommendation: mode === 'consensus' ? 'approve_individuals_only' : 'approve_team',
      context: { coordination_mode: mode },
    })
    if (mode === 'parallel') {
      expect(body).toMatchObject({
        synergy_type: 'neutral',
        concentration_risk: 0.1424,
        risk_attribution: { 'agent-a': 0.0943, 'agent-b': 0.065, 'agent-c': 0.2208 },
      })
    }
  })

  it('depends on the order of the members', async () => {
    const forward = await assess(['agent-a', 'agent-b', 'agent-c'], 'sequential')
    const back = await assess(['agent-c', 'agent-b', 'agent-a'], 'sequential')
    expect(back.body.agent_ids).toEqual(['agent-c', 'agent-b', 'agent-a'])
    expect(back.body.structural_risk).toBeGreaterThan(forward.body.structural_risk)
  })

  it('is denied with a contained member', async () => {
    const stopped = await w.agent({ agent_id: 'stopped', n: 1200, components: TEAM[0]?.components })
    const pause = `/v1/orgs/${w.org}/agents/${stopped}/pause`
    await w.t.call('POST', pause, { token: w.key, body: { reason: 'x' } })
    const { body } = await assess(['agent-a', stopped])
    expect(body).toMatchObject({
      team_risk_level: 'critical',
      team_recommendation: 'deny',
      circuit_breakers: ['member_contained'],
      explanation: expect.stringContaining(' Safety rules applied: member_contained.'),
    })
    expect(body.team_risk_score).toBeGreaterThanOrEqual(0.9)
  })

  it('attributes the risk to many members, computed on a worker thread', async () => {
    const ids = await manyAgents(14)
    const nine = (await assess(ids.slice(0, 9))).body
    const fourteen = (await assess(ids)).body
    expect(nine.shapley_method).toEqual({ method: 'exact', permutations: 0, std_error: 0 })
    expect(fourteen.shapley_method).toMatchObject({ method: 'sampled' })
    for (const body of [nine, fourteen]) {
      const sum = (values: Record<string, number>) =>
        Math.round(Object.values(values).reduce((all, one) => all + 10_000 * one, 0))
      expect(sum(body.shapley_values)).toBe(Math.round(10_000 * body.team_coherence_score))
      expect(sum(body.risk_attribution)).toBe(Math.round(10_000 * (1 - body.team_coherence_score)))
    }
  })
})

async function manyAgents(amount: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < amount; n += 1) {
    const components = [900 - 20 * n, 800 + n, 700 + 3 * n, 900, 500 + 10 * n] as const
    ids.push(await w.agent({ agent_id: `many-${n}`, n: 200 + n, components }))
  }
  return ids
}

describe('the inputs of a team assessment', () => {
  it('open its commitment, in the order of the ids', async () => {
    const { body } = await assess(['agent-c', 'agent-a', 'agent-b'], 'sequential')
    const opened = (await w.get(`/v1/risk/assessments/${body.assessment_id}/inputs`)).body
    expect(opened.inputs_commitment).toBe(body.inputs_commitment)
    expect(inputsCommitment(opened.inputs)).toBe(body.inputs_commitment)
    expect(opened.inputs).toMatchObject({
      v: 1,
      kind: 'team',
      formula: 'team-risk-v1',
      assessment_id: body.assessment_id,
      as_of: body.created_at,
      coordination_mode: 'sequential',
      order: ['agent-c', 'agent-a', 'agent-b'],
      members: [
        { agent_id: 'agent-a', analysed_checkpoints: 1200, reputation: 903, violations: [] },
        { agent_id: 'agent-b', components: [920, 850, 700, 650, 625], violations: [['high', 10]] },
        { agent_id: 'agent-c', merkle_root: expect.stringMatching(/^sha256:/) },
      ],
      pairs: [
        [0, 1, 500, 1000, 1000, 750],
        [0, 2, 400, 0, 1000, 250],
        [1, 2, 750, 0, 1000, 750],
      ],
      mission: null,
    })
  })

  it('are shown only if all members are the caller’s own', async () => {
    await w.agent({ agent_id: 'theirs', n: 60 }, w.foreign)
    const { body } = await assess(['agent-a', 'theirs'])
    const url = `/v1/risk/assessments/${body.assessment_id}/inputs`
    expect(await w.get(url)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    const elsewhere = await w.get(`/v1/risk/team-assessments/${body.assessment_id}`, w.foreign)
    expect(elsewhere).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

describe('invalid team input', () => {
  const asked = { action_type: 'data_access' }
  const named = (count: number) => Array.from({ length: count }, (_, n) => `x${n}`)
  it.each([
    ['no members', { context: asked }],
    ['one member', { agent_ids: ['agent-a'], context: asked }],
    ['51 members', { agent_ids: named(51), context: asked }],
    ['a member twice', { agent_ids: ['agent-a', 'agent-b', 'agent-a'], context: asked }],
    ['members as text', { agent_ids: 'agent-a,agent-b', context: asked }],
    ['no context', { agent_ids: ['agent-a', 'agent-b'] }],
    [
      'an unknown mode',
      { agent_ids: ['agent-a', 'agent-b'], context: { ...asked, coordination_mode: 'x' } },
    ],
    [
      'an unknown tolerance',
      { agent_ids: ['agent-a', 'agent-b'], context: { ...asked, risk_tolerance: 'x' } },
    ],
    [
      'a long task',
      { agent_ids: ['agent-a', 'agent-b'], context: { ...asked, team_task: 'x'.repeat(501) } },
    ],
    ['malformed JSON', '{'],
  ])('%s is 422, never 400', async (_name, body) => {
    const headers = { 'content-type': 'application/json' }
    const call = { token: w.key, headers, body }
    expect(await w.t.call('POST', '/v1/risk/assess/team', call)).toMatchObject({
      status: 422,
      body: { error: 'validation_error' },
    })
  })

  it('is 404 for unknown and private members, and for an unknown team', async () => {
    await w.agent({ agent_id: 'hidden', n: 60, visibility: 'private' }, w.foreign)
    for (const other of ['nobody', 'hidden']) {
      expect(await assess(['agent-a', other])).toMatchObject({
        status: 404,
        body: { error: 'agent_not_found' },
      })
    }
    const unknown = await w.assessTeam({ team_id: 'team-none', context: asked })
    expect(unknown).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await w.get('/v1/risk/team-assessments/tra-none')).status).toBe(404)
  })
})

describe('the plan', () => {
  it('meters a team assessment once and its members not at all', async () => {
    const usage = async () => (await w.get(`/v1/orgs/${w.org}/plan`)).body.usage
    const before = await usage()
    await assess(['agent-a', 'agent-b', 'agent-c'])
    const after = await usage()
    expect(after.team_risk_assessment.used).toBe(before.team_risk_assessment.used + 1)
    expect(after.risk_assessment.used).toBe(before.risk_assessment.used)
    expect((await w.get('/v1/risk/history/agent-a')).body.total).toBe(0)
  })
})

describe('a team that changes during its assessment', () => {
  const newTeam = async (name: string) => {
    const body = { org_id: w.org, name, agent_ids: ['agent-a', 'agent-b', 'agent-c'] }
    const created = await w.t.call('POST', '/v1/teams', { token: w.key, body })
    return created.body.team.id
  }
  const counted = async (teamId: string) => {
    const found = await sql`select 1 from team_score where team_id = ${teamId}`.execute(
      w.t.app.kernel.db,
    )
    return found.rows.length
  }

  it('is not rated by a request that started before it was archived', async () => {
    const teamId = await newTeam('ending')
    const held = await holdTransaction(w.t.databaseUrl, [
      [`update team set status = 'archived', archived_at = now() where team_id = $1`, teamId],
    ])
    const asked = w.assessTeam({ team_id: teamId, context: context() })
    await held.untilBlocking()
    await held.commit()
    expect((await asked).status).toBe(404)
    expect(await counted(teamId)).toBe(0)
  })

  it('is not rated by an assessment of other members', async () => {
    const teamId = await newTeam('shrinking')
    const held = await holdTransaction(w.t.databaseUrl, [
      ['select 1 from team where team_id = $1 for update', teamId],
      [`delete from team_member where team_id = $1 and agent_id = 'agent-c'`, teamId],
    ])
    const asked = assess(['agent-a', 'agent-b', 'agent-c'])
    await held.untilBlocking()
    await held.commit()
    expect(await asked).toMatchObject({ status: 200, body: { team_id: null } })
    expect(await counted(teamId)).toBe(0)
    const { body } = await w.assessTeam({ team_id: teamId, context: context() })
    expect(body).toMatchObject({ team_id: teamId, agent_ids: ['agent-a', 'agent-b'] })
  })
})

describe('the history of a team', () => {
  const history = (teamId: string, query = '', token?: string) =>
    w.get(`/v1/risk/team-history/${teamId}${query}`, token)

  it('lists its assessments, newest first, also after it was archived', async () => {
    const agentIds = ['agent-a', await w.agent({ agent_id: 'leaving', n: 60 })]
    const body = { org_id: w.org, name: 'remembered', agent_ids: agentIds }
    const created = await w.t.call('POST', '/v1/teams', { token: w.key, body })
    const teamId = created.body.team.id
    expect((await history(teamId)).body).toEqual({
      team_id: teamId,
      assessments: [],
      total: 0,
      limit: 50,
      offset: 0,
    })
    const made = []
    for (const mode of ['parallel', 'sequential', 'consensus']) {
      w.t.clock.advance(1000)
      made.unshift((await assess(agentIds, mode)).body)
    }
    await assess(['agent-a', 'agent-b'])
    expect((await history(teamId)).body).toMatchObject({ assessments: made, total: 3 })
    const middle = (await history(teamId, '?limit=1&offset=1')).body
    expect(middle).toEqual({
      team_id: teamId,
      assessments: [made[1]],
      total: 3,
      limit: 1,
      offset: 1,
    })
    expect((await history(teamId, '?limit=100000')).body.limit).toBe(200)
    await w.t.call('DELETE', `/v1/teams/${teamId}`, { token: await w.t.ownerToken() })
    expect((await history(teamId)).body.total).toBe(3)
    expect(await history(teamId, '', w.foreign)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  })

  it('is 404 for an unknown team and 422 for a malformed query', async () => {
    expect((await history('team-none')).status).toBe(404)
    const created = await w.t.call('POST', '/v1/teams', {
      token: w.key,
      body: { org_id: w.org, name: 'asked badly', agent_ids: ['agent-a', 'agent-b'] },
    })
    for (const query of ['?limit=0', '?limit=x', '?offset=-1']) {
      expect(await history(created.body.team.id, query)).toMatchObject({
        status: 422,
        body: { error: 'validation_error' },
      })
    }
  })
})

describe('an erased member', () => {
  it('is removed from assessments, whose numbers stay', async () => {
    const gone = await w.agent({ agent_id: 'gone', n: 60 })
    const { body } = await assess(['agent-a', gone])
    const kept = (await assess(['agent-a', 'agent-b'])).body
    const erase = { token: await w.t.ownerToken(), body: { confirm: gone } }
    await w.t.call('POST', '/v1/agents/gone/erase', erase)
    w.t.clock.advance(31 * 24 * 3_600_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    expect((await w.get(`/v1/risk/team-assessments/${body.assessment_id}`)).status).toBe(404)
    expect((await w.get(`/v1/risk/team-assessments/${kept.assessment_id}`)).status).toBe(200)
    const left = await sql<{ numbers: number; documents: number }>`select
      (select count(*) from team_risk_assessment where assessment_id = ${body.assessment_id})
        as numbers,
      (select count(*) from team_risk_document where assessment_id = ${body.assessment_id})
        as documents`.execute(w.t.app.kernel.db)
    expect(left.rows).toEqual([{ numbers: 1, documents: 0 }])
  })
})
