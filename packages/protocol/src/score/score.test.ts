import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { confidenceOf, type Rated, rate, type Unrated } from './score.ts'
import {
  anyEligible,
  anyInput,
  readVectors,
  scoreInput,
  toViolation,
  violationIdsOf,
  type WireViolation,
} from './score-input.fixture.ts'
import type { ScoreInput } from './score-input.ts'
import { describeUncertainty, type Uncertainty } from './uncertainty.ts'

type Case = {
  name: string
  input: {
    now: string
    checkpoints: ScoreInput['checkpoints']
    violations: WireViolation[]
    sessions: ScoreInput['sessions']
    traces_stored: number
    peers: { count: number; pair_score_e4_sum: number }
    adjustment_e4: number
    evidence: { non_clear_ids: string[]; unstable_session_ids: string[]; lowest_peer_ids: string[] }
  }
  output: Record<string, unknown>
}
const { cases } = readVectors<{ cases: Case[] }>('score')

function toInput(wire: Case['input']): ScoreInput {
  return {
    nowMs: Date.parse(wire.now),
    checkpoints: wire.checkpoints,
    violations: wire.violations.map(toViolation),
    sessions: wire.sessions,
    tracesVerified: wire.traces_stored,
    peers: { count: wire.peers.count, pairScoreE4Sum: wire.peers.pair_score_e4_sum },
    adjustmentE4: wire.adjustment_e4,
  }
}

function toEvidence({ evidence, violations, now }: Case['input']) {
  return {
    nonClearIds: evidence.non_clear_ids,
    violationIds: violationIdsOf(violations, Date.parse(now)),
    unstableSessionIds: evidence.unstable_session_ids,
    lowestPeerIds: evidence.lowest_peer_ids,
    lowNoveltyIds: [],
  }
}

function toOutput(reputation: Rated | Unrated, uncertainty: Uncertainty | undefined) {
  return {
    checkpoint_count: reputation.checkpointCount,
    is_eligible: reputation.isEligible,
    score: reputation.score,
    grade: reputation.grade,
    tier: reputation.tier,
    confidence: reputation.confidence,
    components: reputation.components.map(({ weightedScore, ...rest }) => {
      return { ...rest, weighted_score: weightedScore }
    }),
    score_interval: uncertainty?.scoreInterval ?? null,
    conservative_score: uncertainty?.conservativeScore ?? null,
    grade_probability: uncertainty?.gradeProbability ?? null,
    reason_codes:
      uncertainty?.reasonCodes.map(({ code, component, pointsLost, evidenceIds }) => {
        return { code, component, points_lost: pointsLost, evidence_ids: evidenceIds }
      }) ?? null,
    recovery_forecast: uncertainty?.recoveryForecast ?? null,
  }
}

const outputOf = ({ input }: Case) =>
  toOutput(rate(toInput(input)), describeUncertainty(toInput(input), toEvidence(input)))

describe('the published cases of scores', () => {
  it.each(cases)('$name', (one) => {
    expect(outputOf(one)).toEqual(one.output)
  })
})

describe('the worked examples of the specification', () => {
  const find = (start: string) => {
    const found = cases.find(({ name }) => name.startsWith(start))
    if (found === undefined) throw new Error(`no case ${start}`)
    const { score_interval, conservative_score, ...output } = outputOf(found)
    return {
      ...output,
      scores: output.components.map(({ score }) => score),
      interval: [score_interval?.low, score_interval?.high, conservative_score],
      likely: Object.entries(output.grade_probability ?? {}).filter(([, share]) => share > 0),
      forecast: output.recovery_forecast?.map(({ score }) => score),
    }
  }

  it('A: 775, grade A', () => {
    const found = find('A:')
    expect(found.components.map(({ weighted_score }) => weighted_score)).toEqual([
      380, 55.8, 180, 80, 79,
    ])
    expect(found).toMatchObject({
      scores: [950, 279, 900, 800, 790],
      score: 775,
      grade: 'A',
      tier: 'Reliable',
      confidence: 'low',
      interval: [710, 795, 710],
      likely: [
        ['AA', 0.0072],
        ['A', 0.9817],
        ['BBB', 0.0111],
      ],
      forecast: [812, 849, 896, 917],
    })
    expect(found.components.flatMap(({ factors }) => factors)).toEqual([
      '95.0% clear verdicts over 120 analysed checkpoints',
      '2 boundary violations in 2 sessions, decayed impact 1.34',
      '1 unstable of 10 sessions',
      '80% of expected decisions traced (96/120)',
      'Mean coherence 0.79 over 3 peers',
    ])
  })

  it('B: 875, grade AA, with half of the components at their defaults', () => {
    const found = find('B:')
    expect(found).toMatchObject({
      scores: [1000, 1000, 1000, 0, 750],
      score: 875,
      grade: 'AA',
      interval: [846, 875, 846],
      likely: [['AA', 1]],
    })
    expect(found.components.map(({ basis, n }) => [basis, n])).toEqual([
      ['measured', 50],
      ['measured', 0],
      ['default', 0],
      ['measured', 0],
      ['default', 0],
    ])
    expect(found.components.flatMap(({ factors }) => factors)).toEqual([
      '100.0% clear verdicts over 50 analysed checkpoints',
      'No boundary violations in the last 90 days',
      'No session long enough for drift analysis',
      '0% of expected decisions traced (0/50)',
      'Warning: full integrity without any traced decision',
      'No fleet interactions, neutral default',
    ])
  })

  it('C: 751, and 793 once a violation is a card gap', () => {
    expect(find('C:')).toMatchObject({
      scores: [900, 204, 875, 1000, 750],
      score: 751,
      interval: [700, 774, 700],
      likely: [
        ['A', 0.976],
        ['BBB', 0.024],
      ],
    })
    const gap = find('C with')
    expect(gap).toMatchObject({ scores: [900, 354, 938, 1000, 750], score: 793, grade: 'A' })
    expect(gap.components.flatMap(({ factors }) => factors)).toEqual([
      '90.0% clear verdicts over 200 analysed checkpoints',
      '2 boundary violations in 1 sessions, decayed impact 1.00',
      '1 violations excluded as card gaps',
      '1 unstable of 16 sessions',
      '100% of expected decisions traced (230/200)',
      'No fleet interactions, neutral default',
    ])
  })
})

describe('rate', () => {
  it.each([
    [0, 'insufficient'],
    [49, 'insufficient'],
    [50, 'low'],
    [199, 'low'],
    [200, 'medium'],
    [999, 'medium'],
    [1000, 'high'],
  ])('has at %i checkpoints the confidence %s', (scored, confidence) => {
    const checkpoints = { scored, clear: scored, excluded: 0 }
    expect(confidenceOf(scored)).toBe(confidence)
    expect(rate(scoreInput({ checkpoints }))).toMatchObject({
      confidence,
      isEligible: scored >= 50,
    })
  })

  it('reveals only the amount of evidence for an agent that is not eligible', () => {
    const few = anyInput({ min: 0, max: 49 })
    fc.assert(
      fc.property(few, few, (one, other) => {
        const { scored } = one.checkpoints
        const clear = Math.min(other.checkpoints.clear, scored)
        const same = { ...other, checkpoints: { scored, clear, excluded: 0 } }
        expect(rate(one)).toEqual(rate(same))
        expect(rate(one)).toMatchObject({ score: null, grade: 'NR', tier: 'Not Rated' })
      }),
    )
  })

  it('publishes weighted scores that add up to the score, up to rounding', () => {
    fc.assert(
      fc.property(anyEligible, (input) => {
        const { score, components } = rate(input)
        const sum = components.reduce((total, part) => total + (part.weightedScore ?? 0), 0)
        expect(Math.abs(sum - (score ?? Number.NaN))).toBeLessThanOrEqual(0.5 + 1e-9)
        expect(components.reduce((total, { weight }) => total + weight, 0)).toBeCloseTo(1, 12)
      }),
    )
  })

  it('gives every component a factor', () => {
    fc.assert(
      fc.property(anyEligible, (input) => {
        for (const { factors } of rate(input).components) {
          expect(factors.length).toBeGreaterThan(0)
          expect(factors.join()).not.toMatch(/NaN|undefined|Infinity/)
        }
      }),
    )
  })
})
