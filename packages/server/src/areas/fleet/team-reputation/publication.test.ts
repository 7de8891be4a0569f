import { describe, expect, it } from 'vitest'
import {
  changeOf,
  computeTeam,
  hashesMatch,
  type StoredStanding,
  standingOf,
  type TeamInputs,
  trendOf,
} from './publication.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-03-01T12:00:00.000Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS)

const inputs = (given: Partial<TeamInputs> = {}): TeamInputs => ({
  teamId: 'team-1',
  assessments: [{ days: 0, count: 10, good: 9, coherence: 8_000_000, structuralRisk: 1_000_000 }],
  chainHead: 'ab'.repeat(32),
  members: [
    standingOf({ agentId: 'a', score: 900, merkleRoot: `sha256:${'1'.repeat(64)}` }),
    standingOf({ agentId: 'b', score: null, merkleRoot: null }),
  ],
  rosterChanges: [],
  computedAt: NOW,
  ...given,
})

describe('computeTeam', () => {
  it('is deterministic', () => {
    const { reputation, proofHash } = computeTeam(inputs())
    expect(reputation).toMatchObject({ isEligible: true, totalAssessments: 10 })
    expect(proofHash).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(computeTeam(inputs())).toEqual({ reputation, proofHash })
  })

  it('has no score and no proof for a team that is not eligible', () => {
    const few = { days: 0, count: 9, good: 9, coherence: 0, structuralRisk: 0 }
    expect(computeTeam(inputs({ assessments: [few] }))).toMatchObject({
      reputation: { score: null },
      proofHash: null,
    })
    expect(computeTeam(inputs({ assessments: [], chainHead: null })).proofHash).toBeNull()
  })

  it('counts roster changes for exactly 90 days', () => {
    const stability = (createdAt: Date) =>
      computeTeam(inputs({ rosterChanges: [{ changeId: 'trc-1', createdAt }] })).reputation
        .components[3]?.score
    expect(stability(daysAgo(0))).toBe(850)
    expect(stability(new Date(daysAgo(90).getTime() + 1))).toBe(899)
    expect(stability(daysAgo(90))).toBe(900)
    const expired = inputs({ rosterChanges: [{ changeId: 'trc-1', createdAt: daysAgo(90) }] })
    expect(computeTeam(expired).proofHash).toBe(computeTeam(inputs()).proofHash)
  })
})

describe('hashesMatch', () => {
  it('is false when a stored member score differs from its hash', () => {
    const members = inputs().members
    expect(hashesMatch(members)).toBe(true)
    const [first, ...others] = members as [StoredStanding, ...StoredStanding[]]
    expect(hashesMatch([{ ...first, score: 901 }, ...others])).toBe(false)
  })

  it('accepts erased members, whose score and hash suffice to compute the team score', () => {
    const members = inputs().members.map(({ score, hash }) => {
      return { agentId: null, merkleRoot: null, score, hash }
    })
    expect(hashesMatch(members)).toBe(true)
    expect(computeTeam(inputs({ members }))).toEqual(computeTeam(inputs()))
  })
})

describe('changes', () => {
  const rated = (score: number, grade: 'A' | 'AA') => ({ score, grade })

  it('are reported beyond ten points and with every change of grade', () => {
    const none = { gradeChanged: false, scoreChanged: false }
    expect(changeOf(rated(750, 'A'), rated(760, 'A'))).toEqual(none)
    expect(changeOf(rated(750, 'A'), rated(761, 'A'))).toMatchObject({ scoreChanged: true })
    expect(changeOf(rated(799, 'A'), rated(800, 'AA'))).toEqual({
      gradeChanged: true,
      scoreChanged: true,
    })
    const unrated = { score: null, grade: 'NR' } as const
    expect(changeOf(unrated, rated(750, 'A'))).toEqual({ gradeChanged: true, scoreChanged: true })
    expect(changeOf(unrated, unrated)).toEqual(none)
  })

  it('over 30 days are the trend', () => {
    const monthAgo = { atMs: daysAgo(31).getTime(), score: 700 }
    const before = { score: 750, grade: 'A', monthAgo } as const
    expect(trendOf(760, before, NOW)).toBe(60)
    expect(trendOf(760, { ...before, monthAgo: undefined }, NOW)).toBe(0)
    expect(trendOf(null, before, NOW)).toBe(0)
  })
})
