import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decay } from '../risk/fixed-point.ts'
import { RISK_LEVELS, type RiskLevel } from '../risk/individual-risk.ts'
import { aggregateRisk } from '../risk/team-game.ts'
import { standingOf } from '../score/grade.ts'
import {
  type AssessmentGroup,
  FADING_DAYS_END,
  GOOD_LEVELS,
  rateTeam,
  TEAM_COMPONENTS,
  type TeamReputationInput,
  teamComponentScores,
  teamConfidence,
  teamScore,
} from './team-reputation.ts'

type Assessed = { coherence: number; structuralRisk: number; level: RiskLevel }

/** A single assessment as a group of its own. */
const assessed = (days: number, given: Partial<Assessed> = {}): AssessmentGroup => {
  const { coherence = 800_000, structuralRisk = 100_000, level = 'low' } = given
  return { days, count: 1, good: GOOD_LEVELS.includes(level) ? 1 : 0, coherence, structuralRisk }
}

const team = (given: Partial<TeamReputationInput>): TeamReputationInput => ({
  assessments: [assessed(0)],
  memberScores: [800, 800],
  rosterChangeDays: [],
  ...given,
})

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + step * at)

describe('the vectors of the components', () => {
  const ages = [0, 10, 30, 60]

  it('coherence history fades with age', () => {
    const coherences = [820_000, 780_000, 700_000, 600_000]
    const assessments = ages.map((days, at) => assessed(days, { coherence: coherences[at] ?? 0 }))
    expect(teamComponentScores(team({ assessments })).coherence_history).toBe(762)
  })

  it('member quality is weighted towards the worst member', () => {
    const memberScores = [900, 850, 820, 400]
    expect(aggregateRisk(memberScores.map((score) => (1000 - score) * 10))).toBe(367_644)
    expect(teamComponentScores(team({ memberScores })).member_quality).toBe(632)
  })

  it('the operational record counts low and medium risk', () => {
    const assessments = range(1, 12).map((n) => assessed(n, { level: n <= 10 ? 'medium' : 'high' }))
    expect(teamComponentScores(team({ assessments })).operational_record).toBe(833)
  })

  it('structural stability is reduced by risk and by roster changes', () => {
    const risks = [80_000, 100_000, 150_000, 200_000]
    const assessments = ages.map((days, at) => assessed(days, { structuralRisk: risks[at] ?? 0 }))
    const scores = teamComponentScores(team({ assessments, rosterChangeDays: [3, 40, 80] }))
    expect(scores.structural_stability).toBe(807)
  })

  it.each([
    ['0..11', range(0, 11), 531],
    ['2, 4, ..., 64', range(2, 64, 2), 618],
    ['40..49', range(40, 49), 165],
  ])('assessment density for assessments at %s days', (_, days, density) => {
    const assessments = days.map((own) => assessed(own))
    expect(teamComponentScores(team({ assessments })).assessment_density).toBe(density)
  })

  it.each([
    [[762, 632, 833, 807, 531], 725, 'A'],
    [[880, 790, 850, 720, 640], 812, 'AA'],
  ])('%j give %i, %s', (given, score, grade) => {
    const [coherence = 0, quality = 0, record = 0, stability = 0, density = 0] = given
    const composite = teamScore({
      coherence_history: coherence,
      member_quality: quality,
      operational_record: record,
      structural_stability: stability,
      assessment_density: density,
    })
    expect([composite, standingOf(composite).grade]).toEqual([score, grade])
  })
})

/** Groups assessments by age; ages beyond the end of fading are treated alike. */
function groupByAge(groups: readonly AssessmentGroup[]): AssessmentGroup[] {
  const byAge = new Map<number, AssessmentGroup>()
  for (const own of groups) {
    const age = Math.min(own.days, FADING_DAYS_END)
    const known = byAge.get(age) ?? {
      days: own.days,
      count: 0,
      good: 0,
      coherence: 0,
      structuralRisk: 0,
    }
    byAge.set(age, {
      days: Math.min(known.days, own.days),
      count: known.count + own.count,
      good: known.good + own.good,
      coherence: known.coherence + own.coherence,
      structuralRisk: known.structuralRisk + own.structuralRisk,
    })
  }
  return [...byAge.values()]
}

describe('rateTeam', () => {
  const often = (count: number) => range(1, count).map((n) => assessed(n))

  it('does not rate a team before its tenth counted assessment', () => {
    expect(rateTeam(team({ assessments: often(9) }))).toEqual({
      isEligible: false,
      score: null,
      grade: 'NR',
      tier: 'Not Rated',
      totalAssessments: 9,
      confidence: 'insufficient',
      components: [],
    })
    expect(rateTeam(team({ assessments: often(10) }))).toMatchObject({
      isEligible: true,
      confidence: 'low',
    })
  })

  it('explains the basis of every component', () => {
    const input = team({
      assessments: often(10),
      memberScores: [900, null],
      rosterChangeDays: [0, 89, 90],
    })
    const { components } = rateTeam(input)
    expect(components.map(({ factors }) => factors)).toEqual([
      ['Weighted coherence over 10 assessments'],
      ['Tail-weighted over 2 members, lowest 500'],
      ['10 of 10 assessments were low or medium risk'],
      ['2 roster changes in 90 days'],
      ['10 assessments, latest 1 days ago'],
    ])
    expect(components[0]).toMatchObject({ label: 'Coherence History', weight: 0.35 })
  })

  it.each([
    [9, 'insufficient'],
    [10, 'low'],
    [29, 'low'],
    [30, 'medium'],
    [99, 'medium'],
    [100, 'high'],
  ])('%i assessments give %s confidence', (count, confidence) => {
    expect(teamConfidence(count)).toBe(confidence)
  })

  it('fading ends after 600 days', () => {
    const weights = range(FADING_DAYS_END, FADING_DAYS_END + 400).map((days) => decay(days))
    expect(Math.max(...weights)).toBeLessThanOrEqual(1)
    expect(decay(FADING_DAYS_END - 60)).toBeGreaterThan(1)
  })

  it('the weights add up to a hundred', () => {
    expect(TEAM_COMPONENTS.reduce((sum, { percent }) => sum + percent, 0)).toBe(100)
  })

  it('returns integer scores from 0 to 1000, whatever the order of the assessments', () => {
    const micro = fc.integer({ min: 0, max: 1_000_000 })
    const anyAssessment = fc
      .record({
        days: fc.integer({ min: 0, max: 4000 }),
        coherence: micro,
        structuralRisk: micro,
        level: fc.constantFrom(...RISK_LEVELS),
      })
      .map(({ days, ...given }) => assessed(days, given))
    const anyTeam = fc.record({
      assessments: fc.array(anyAssessment, { minLength: 10, maxLength: 40 }),
      memberScores: fc.array(fc.option(fc.integer({ min: 0, max: 1000 })), { minLength: 2 }),
      rosterChangeDays: fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 60 }),
    })
    fc.assert(
      fc.property(anyTeam, (input) => {
        const { components, score } = rateTeam(input)
        for (const number of [score, ...components.map((own) => own.score)]) {
          expect(number).toSatisfy((own) => Number.isInteger(own) && own >= 0 && own <= 1000)
        }
        const turned = { ...input, assessments: input.assessments.toReversed() }
        expect(rateTeam(turned).score).toBe(score)
        const grouped = { ...input, assessments: groupByAge(input.assessments) }
        expect(rateTeam(grouped)).toEqual(rateTeam(input))
      }),
    )
  })
})
