import { describe, expect, it } from 'vitest'
import { toAgentId } from '../../../kernel/ids.ts'
import { hasFinding, type Sort, type Standing, sortStandings, totalsOf } from './standing.ts'

const DAY = new Date('2026-11-19T00:00:00.000Z')

const standing = (agentId: string, fields: Partial<Standing> = {}): Standing => ({
  agentId: toAgentId(agentId),
  name: agentId,
  visibility: 'private',
  status: 'active',
  enforcementMode: 'observe',
  lastSeenAt: null,
  createdAt: DAY,
  updatedAt: DAY,
  score: null,
  grade: 'NR',
  assurance: null,
  trend30d: 0,
  blocked: 0,
  violations: 0,
  driftAlerts: 0,
  ...fields,
})

const AGENTS = [
  standing('desk-10', { score: 700, trend30d: 4, blocked: 2, lastSeenAt: DAY }),
  standing('Desk-9', { score: 900, trend30d: -30, violations: 1 }),
  standing('attic', { driftAlerts: 3, updatedAt: new Date(DAY.getTime() + 1) }),
]

describe('the standings of agents', () => {
  it.each<[Sort, string[]]>([
    ['name', ['attic', 'Desk-9', 'desk-10']],
    ['score', ['Desk-9', 'desk-10', 'attic']],
    ['trend', ['Desk-9', 'desk-10', 'attic']],
    ['blocked', ['desk-10', 'attic', 'Desk-9']],
    ['violations', ['Desk-9', 'attic', 'desk-10']],
    ['drift_alerts', ['attic', 'Desk-9', 'desk-10']],
    ['last_seen', ['desk-10', 'attic', 'Desk-9']],
    ['updated', ['attic', 'Desk-9', 'desk-10']],
    ['registered', ['attic', 'Desk-9', 'desk-10']],
  ])('are sorted by %s', (sort, names) => {
    expect(sortStandings(AGENTS, sort).map(({ name }) => name)).toEqual(names)
  })

  it('are selected and summed by what was found', () => {
    expect(AGENTS.filter((one) => hasFinding(one, 'violations')).map(({ name }) => name)).toEqual([
      'Desk-9',
    ])
    expect(totalsOf(AGENTS)).toEqual({ blocked: 2, violations: 1, driftAlerts: 3 })
  })
})
