import { describe, expect, it } from 'vitest'
import { mayBecomeHybrid, sameTeamCard, type TeamCard } from './team-card.ts'

const card: TeamCard = {
  aap_version: '0.5.0',
  agent_id: 'team-1',
  card_id: 'ac-1',
  issued_at: '2026-03-01T12:00:00.000Z',
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['accuracy'], hierarchy: 'lexicographic' },
  autonomy_envelope: { bounded_actions: ['search'] },
  audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 90, queryable: true },
}

describe('team card', () => {
  it('is compared without regard to its id, its time of issue and the order of its fields', () => {
    const { values, ...rest } = card
    const reissued = { ...rest, values, card_id: 'ac-2', issued_at: '2026-03-02T12:00:00.000Z' }
    expect(sameTeamCard(card, reissued)).toBe(true)
    expect(sameTeamCard(card, { ...reissued, team_mission: 'Help' })).toBe(false)
  })

  it('can become hybrid only if the active card is derived or hybrid', () => {
    expect(mayBecomeHybrid(undefined)).toBe(false)
    expect(mayBecomeHybrid({ source: 'manual' })).toBe(false)
    expect(mayBecomeHybrid({ source: 'auto_derived' })).toBe(true)
    expect(mayBecomeHybrid({ source: 'hybrid' })).toBe(true)
  })
})
