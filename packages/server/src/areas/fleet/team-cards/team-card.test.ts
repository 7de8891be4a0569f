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

describe('a team card', () => {
  it('is the same whatever its id, its time and the order of its members', () => {
    const { values, ...rest } = card
    const turned = { ...rest, values, card_id: 'ac-2', issued_at: '2026-03-02T12:00:00.000Z' }
    expect(sameTeamCard(card, turned)).toBe(true)
    expect(sameTeamCard(card, { ...turned, team_mission: 'Help' })).toBe(false)
  })

  it('becomes hybrid only over one that was derived, or hybrid before', () => {
    expect(mayBecomeHybrid(undefined)).toBe(false)
    expect(mayBecomeHybrid({ source: 'manual' })).toBe(false)
    expect(mayBecomeHybrid({ source: 'auto_derived' })).toBe(true)
    expect(mayBecomeHybrid({ source: 'hybrid' })).toBe(true)
  })
})
