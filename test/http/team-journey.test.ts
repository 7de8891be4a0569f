import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type RiskWorld, riskWorld, TEAM } from '#harness/risk.ts'

let w: RiskWorld
let teamId: string

const MODES = { parallel: 0.3801, sequential: 0.3699, hierarchical: 0.3794, consensus: 0.4115 }

const call = (method: string, url: string, body?: unknown) =>
  w.t.call(method, url, { token: w.key, ...(body === undefined ? {} : { body }) })

const assess = (mode: string) =>
  call('POST', '/v1/risk/assess/team', {
    team_id: teamId,
    context: { action_type: 'multi_agent_coordination', coordination_mode: mode },
  })

beforeAll(async () => {
  w = await riskWorld()
  for (const member of TEAM) await w.agent(member)
})

describe('a team of the three agents of spec: risk §2.7', () => {
  it('is created and not rated yet', async () => {
    const agentIds = TEAM.map(({ agent_id }) => agent_id)
    const created = await call('POST', '/v1/teams', {
      org_id: w.org,
      name: 'Records',
      agent_ids: agentIds,
      visibility: 'public',
    })
    expect(created.status, created.text).toBe(201)
    teamId = created.body.team.id
    const badge = await w.t.call('GET', `/v1/teams/${teamId}/badge.svg`)
    expect(badge.text).toContain('Team: Not Rated')
  })

  it.each(Object.entries(MODES))(
    'is assessed in mode %s with the exact number',
    async (mode, risk) => {
      const { status, body } = await assess(mode)
      expect(status).toBe(200)
      expect(body).toMatchObject({ team_id: teamId, team_risk_score: risk })
    },
  )

  it('is building its record below ten assessments', async () => {
    await call('POST', `/v1/teams/${teamId}/reputation/recompute`)
    const { body } = await call('GET', `/v1/teams/${teamId}/reputation`)
    expect(body).toMatchObject({ is_eligible: false, total_assessments: 4, score: null })
    const badge = await w.t.call('GET', `/v1/teams/${teamId}/badge.svg`)
    expect(badge.text).toContain('Building 4/10')
  })

  it('is rated after ten, with a public badge and a score that anybody can verify', async () => {
    for (let n = 0; n < 6; n += 1) expect((await assess('parallel')).status).toBe(200)
    expect((await call('POST', `/v1/teams/${teamId}/reputation/recompute`)).status).toBe(200)
    const { body } = await w.t.call('GET', `/v1/teams/${teamId}/reputation`)
    expect(body).toMatchObject({ is_eligible: true, total_assessments: 10, member_count: 3 })
    // Nine of them were medium; the members' scores are 903, 806 and 716.
    const shown = Object.fromEntries(
      body.components.map(({ key, score }: { key: string; score: number }) => [key, score]),
    )
    expect(shown).toMatchObject({ operational_record: 900 })
    const badge = await w.t.call('GET', `/v1/teams/${teamId}/badge.svg`)
    expect(badge.text).toContain(`Team: ${body.score}`)
    const verified = await w.t.call('GET', `/v1/teams/${teamId}/reputation/verify`)
    expect(verified.body).toMatchObject({
      verified: true,
      score: body.score,
      grade: body.grade,
      verification: { hash_chain_valid: true, total_assessments: 10 },
    })
  })

  it("stores its members' pair scores in the coherence ledger", async () => {
    const { rows } = await sql<{ agent_a: string; agent_b: string }>`
      select agent_a, agent_b from coherence_pair order by agent_a, agent_b`.execute(
      w.t.app.kernel.db,
    )
    expect(rows.map(({ agent_a, agent_b }) => `${agent_a} ${agent_b}`)).toEqual([
      'agent-a agent-b',
      'agent-a agent-c',
      'agent-b agent-c',
    ])
  })
})
