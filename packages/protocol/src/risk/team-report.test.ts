import { describe, expect, it } from 'vitest'
import { CARD_A, CARD_B, CARD_C, holderOf } from './cards.fixture.ts'
import { fleetCoherence } from './fleet-coherence.ts'
import { inputsCommitment } from './risk-commitment.ts'
import { reportTeam } from './team-report.ts'
import { type TeamMember, type TeamRiskInput, teamRisk } from './team-risk.ts'

const member = (agentId: string, changes: Partial<TeamMember> = {}): TeamMember => ({
  agentId,
  analysedCheckpoints: 347,
  reputation: 806,
  contained: false,
  components: {
    integrity_ratio: 920,
    compliance: 850,
    drift_stability: 700,
    trace_completeness: 650,
    coherence_compatibility: 625,
  },
  violations: [{ severity: 'high', days: 10 }],
  card: null,
  violationDates: [],
  ...changes,
})

const input: TeamRiskInput = {
  actionType: 'data_access',
  riskTolerance: 'moderate',
  mode: 'sequential',
  members: [member('c', { card: CARD_C }), member('a', { card: CARD_A }), member('d')],
  teamCard: CARD_B,
}
const parts = {
  assessmentId: 'tra-1',
  asOf: '2026-03-01T12:00:00.000Z',
  salt: '0'.repeat(64),
  merkleRoots: new Map([['a', `sha256:${'1'.repeat(64)}`]]),
}

describe('the report of a team', () => {
  const report = reportTeam({ input, parts })

  it('contains the risk of the team', () => {
    const { pairs: _, mission: __, ...risk } = teamRisk(input)
    expect(report.risk).toEqual(risk)
  })

  it('commits to inputs that anybody can read', () => {
    const inputs = JSON.parse(report.inputsJson)
    expect(inputsCommitment(inputs)).toBe(report.inputsCommitment)
    expect(inputs).toMatchObject({
      order: ['c', 'a', 'd'],
      mission: [7625, 6000, 5750],
    })
    expect(inputs.members[0]).toMatchObject({ agent_id: 'a', merkle_root: expect.any(String) })
    expect(inputs.members[1]).toMatchObject({ agent_id: 'c', merkle_root: null })
  })

  it('explains each member as if assessed alone', () => {
    expect(report.memberExplanations).toHaveLength(3)
    expect(report.memberExplanations[0]).toMatch(/^data_access under moderate tolerance scored/)
  })

  it('has the coherence of every pair with cards, like the fleet', () => {
    const fleet = fleetCoherence([CARD_C, CARD_A].map(holderOf)).pairs
    expect(report.pairScores).toEqual(
      fleet.map(({ agentA, agentB, scoreE4 }) => ({ agentA, agentB, scoreE4 })),
    )
    expect(report.pairScores).toEqual([{ agentA: 'a', agentB: 'c', scoreE4: 3200 }])
  })

  it('survives a structured clone to a worker thread and back', () => {
    expect(structuredClone(reportTeam(structuredClone({ input, parts })))).toEqual(report)
  })
})
