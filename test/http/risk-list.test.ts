import { beforeAll, describe, expect, it } from 'vitest'
import { type RiskWorld, riskWorld, TEAM } from '#harness/risk.ts'

let w: RiskWorld

beforeAll(async () => {
  w = await riskWorld()
  for (const member of TEAM) await w.agent(member)
})

describe('the list of all assessments', () => {
  it('has those of agents and of teams, newest first, and nothing of others', async () => {
    const list = async (query = '', token?: string) =>
      (await w.get(`/v1/risk/assessments${query}`, token)).body
    const before = (await list()).total
    w.t.clock.advance(1000)
    const asked = {
      agent_ids: ['agent-a', 'agent-b'],
      context: { action_type: 'multi_agent_coordination' },
    }
    const team = (await w.assessTeam(asked)).body
    w.t.clock.advance(1000)
    const one = (await w.assess('agent-a', { action_type: 'data_access' })).body
    const { assessments, ...rest } = await list('?limit=2')
    expect(rest).toEqual({ total: before + 2, limit: 2, offset: 0 })
    expect(assessments).toEqual([
      {
        assessment_id: one.assessment_id,
        subject: 'agent',
        agent_ids: ['agent-a'],
        team_id: null,
        action_type: 'data_access',
        risk_score: one.risk_score,
        risk_level: one.risk_level,
        recommendation: one.recommendation,
        proof_status: expect.any(String),
        created_at: one.created_at,
      },
      expect.objectContaining({
        assessment_id: team.assessment_id,
        subject: 'team',
        agent_ids: ['agent-a', 'agent-b'],
        risk_score: team.team_risk_score,
        recommendation: team.team_recommendation,
        proof_status: 'none',
      }),
    ])
    expect((await list('?subject=agent&limit=1')).assessments[0].subject).toBe('agent')
    expect((await list('?subject=team&limit=1')).assessments[0].subject).toBe('team')
    const theirs = (await list('', w.foreign)).assessments
    expect(JSON.stringify(theirs)).not.toContain(one.assessment_id)
  })
})
