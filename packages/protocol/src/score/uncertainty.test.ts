import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { componentScores, compositeScore } from './component-scores.ts'
import { GRADES, standingOf } from './grade.ts'
import { rate } from './score.ts'
import {
  anyEligible,
  anyInput,
  HOUR_MS,
  NO_EVIDENCE,
  NOW_MS,
  scoreInput,
} from './score-input.fixture.ts'
import type { ScoreInput } from './score-input.ts'
import {
  describeUncertainty,
  gradeProbability,
  scoreMargins,
  wilsonInterval,
} from './uncertainty.ts'

const marginsOf = (input: ScoreInput) => scoreMargins(input, componentScores(input))

function described(input: ScoreInput) {
  const found = describeUncertainty(input, NO_EVIDENCE)
  if (found === undefined) throw new Error('not eligible')
  return found
}

describe('wilsonInterval', () => {
  it('contains the ratio, lies within 0 and 1, and has no margin beyond either end', () => {
    const counts = fc
      .integer({ min: 1, max: 100_000 })
      .chain((n) => fc.tuple(fc.nat(n), fc.constant(n)))
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const { low, high } = wilsonInterval(k, n)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(low).toBeLessThanOrEqual(k / n)
        expect(high).toBeGreaterThanOrEqual(k / n)
        expect(high).toBeLessThanOrEqual(1)
      }),
    )
    expect(wilsonInterval(0, 50).low).toBe(0)
    expect(wilsonInterval(50, 50).high).toBe(1)
  })

  it('is symmetric in successes and failures', () => {
    const few = wilsonInterval(6, 120)
    const many = wilsonInterval(114, 120)
    expect(many.low).toBeCloseTo(1 - few.high, 12)
    expect(many.high).toBeCloseTo(1 - few.low, 12)
  })
})

describe('scoreMargins', () => {
  it.each<[string, ScoreInput, number, number]>([
    [
      'A',
      scoreInput({
        checkpoints: { scored: 120, clear: 114, excluded: 0 },
        sessions: { total: 10, unstable: 1 },
      }),
      64.66,
      19.63,
    ],
    ['B', scoreInput(), 28.54, 0],
    [
      'C',
      scoreInput({
        checkpoints: { scored: 200, clear: 180, excluded: 0 },
        sessions: { total: 16, unstable: 2 },
      }),
      51.03,
      22.64,
    ],
  ])('match example %s', (_, input, down, up) => {
    const margins = marginsOf(input)
    expect(margins.down).toBeCloseTo(down, 2)
    expect(margins.up).toBeCloseTo(up, 2)
  })

  it('shrink as the same ratio is observed more often', () => {
    const times = (factor: number) =>
      marginsOf(
        scoreInput({
          checkpoints: { scored: 100 * factor, clear: 90 * factor, excluded: 0 },
          sessions: { total: 10 * factor, unstable: factor },
        }),
      )
    expect(times(10).down).toBeLessThan(times(1).down)
    expect(times(10).up).toBeLessThan(times(1).up)
  })
})

describe('describeUncertainty', () => {
  it('is undefined for an agent that is not eligible', () => {
    fc.assert(
      fc.property(anyInput({ min: 0, max: 49 }), (input) => {
        expect(describeUncertainty(input, NO_EVIDENCE)).toBeUndefined()
      }),
    )
  })

  it('gives an interval within 0 and 1000 that contains the score and starts conservatively', () => {
    fc.assert(
      fc.property(anyEligible, (input) => {
        const { score } = rate(input)
        const { scoreInterval, conservativeScore } = described(input)
        const { level, low, high } = scoreInterval
        expect(level).toBe(0.95)
        expect(conservativeScore).toBe(low)
        expect([0, low, score, high, 1000]).toEqual(
          [0, low, score ?? Number.NaN, high, 1000].sort((a, b) => a - b),
        )
      }),
    )
  })

  it('forecasts no fall, and nothing above a score without violations', () => {
    fc.assert(
      fc.property(anyEligible, (input) => {
        const { recoveryForecast } = described(input)
        const best = compositeScore({ ...componentScores(input), compliance: 1000 })
        const path = [
          rate(input).score ?? Number.NaN,
          ...recoveryForecast.map((day) => day.score),
          best,
        ]
        expect(recoveryForecast.map(({ days }) => days)).toEqual([7, 14, 28, 56])
        expect(path).toEqual(path.toSorted((a, b) => a - b))
      }),
    )
  })
})

describe('gradeProbability', () => {
  const margin = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 300, noNaN: true }))
  const score = fc.integer({ min: 0, max: 1000 })

  it('has no negative shares, and they add up to one, up to rounding', () => {
    fc.assert(
      fc.property(score, margin, margin, (at, down, up) => {
        const shares = Object.values(gradeProbability(at, { down, up }))
        expect(shares).toHaveLength(7)
        for (const share of shares) expect(share).toBeGreaterThanOrEqual(0)
        const sum = shares.reduce((total, share) => total + share, 0)
        expect(Math.abs(sum - 1)).toBeLessThanOrEqual(7 * 0.00005 + 1e-9)
      }),
    )
  })

  it('is certain of the grade of a score without margins', () => {
    fc.assert(
      fc.property(score, (at) => {
        const { grade } = standingOf(at)
        expect(gradeProbability(at, { down: 0, up: 0 })).toMatchObject({ [grade]: 1 })
      }),
    )
  })

  it('gives no share to better grades without a margin above, nor to worse ones without one below', () => {
    fc.assert(
      fc.property(score, margin, (at, width) => {
        const own = GRADES.findIndex(({ grade }) => grade === standingOf(at).grade)
        const noneAbove = gradeProbability(at, { down: width, up: 0 })
        const noneBelow = gradeProbability(at, { down: 0, up: width })
        for (const [i, { grade }] of GRADES.entries()) {
          if (i < own) expect(noneAbove[grade]).toBe(0)
          if (i > own) expect(noneBelow[grade]).toBe(0)
        }
      }),
    )
  })

  it('is continuous as a margin vanishes', () => {
    const narrow = gradeProbability(905, { down: 40, up: 0.001 })
    expect(gradeProbability(905, { down: 40, up: 0 })).toEqual(narrow)
  })

  it('never gets worse with a better score', () => {
    fc.assert(
      fc.property(score, score, margin, margin, (a, b, down, up) => {
        // The probability of at least BBB, which splits the scale in the middle.
        const chance = (at: number) => {
          const { AAA, AA, A, BBB } = gradeProbability(at, { down, up })
          return AAA + AA + A + BBB
        }
        expect(chance(Math.max(a, b))).toBeGreaterThanOrEqual(chance(Math.min(a, b)) - 0.0005)
      }),
    )
  })
})

describe('reason codes', () => {
  const evidence = {
    nonClearIds: Array.from({ length: 30 }, (_, i) => `ic-${i}`),
    violationIds: Array.from({ length: 23 }, (_, i) => `ic-${i + 2}`),
    unstableSessionIds: ['s2'],
    lowestPeerIds: ['agent-low'],
    lowNoveltyIds: [],
  }

  it('list the greatest loss first, with at most 20 pieces of evidence each', () => {
    const input = scoreInput({
      checkpoints: { scored: 100, clear: 70, excluded: 0 },
      violations: Array.from({ length: 25 }, (_, i) => {
        return { sessionId: 's', timestampMs: NOW_MS - i * HOUR_MS, cardGap: i < 2 }
      }),
      sessions: { total: 4, unstable: 1 },
      tracesVerified: 60,
      peers: { count: 1, pairScoreE4Sum: 9990 },
    })
    const reasons = describeUncertainty(input, evidence)?.reasonCodes ?? []
    expect(reasons.map(({ code, pointsLost }) => [code, pointsLost])).toEqual([
      ['RECENT_VIOLATIONS', 128.8],
      ['LOW_INTEGRITY', 120],
      ['UNSTABLE_SESSIONS', 50],
      ['MISSING_TRACES', 40],
      ['LOW_COHERENCE', 0.1],
    ])
    expect(reasons.map(({ evidenceIds }) => evidenceIds)).toEqual([
      evidence.violationIds.slice(0, 20),
      evidence.nonClearIds.slice(0, 20),
      ['s2'],
      [],
      ['agent-low'],
    ])
  })

  it('end with low novelty, which costs no points', () => {
    const lowNoveltyIds = Array.from({ length: 25 }, (_, i) => `ic-${i}`)
    const input = scoreInput({ tracesVerified: 40 })
    const reasons = describeUncertainty(input, { ...evidence, lowNoveltyIds })?.reasonCodes ?? []
    expect(reasons.map(({ code }) => code)).toEqual([
      'UNMEASURED_COHERENCE',
      'MISSING_TRACES',
      'LOW_NOVELTY',
    ])
    expect(reasons.at(-1)).toEqual({
      code: 'LOW_NOVELTY',
      component: 'integrity_ratio',
      pointsLost: 0,
      evidenceIds: lowNoveltyIds.slice(0, 20),
    })
  })

  it('are absent if nothing is lost, and say if coherence was never measured', () => {
    const reasons = describeUncertainty(scoreInput({ tracesVerified: 50 }), evidence)?.reasonCodes
    expect(reasons).toEqual([
      {
        code: 'UNMEASURED_COHERENCE',
        component: 'coherence_compatibility',
        pointsLost: 25,
        evidenceIds: [],
      },
    ])
  })

  it('account for every point between the score and 1000, up to rounding', () => {
    fc.assert(
      fc.property(anyEligible, (input) => {
        const lost = described(input).reasonCodes.reduce((sum, one) => sum + one.pointsLost, 0)
        expect(Math.abs(1000 - lost - (rate(input).score ?? Number.NaN))).toBeLessThanOrEqual(
          0.5 + 1e-9,
        )
      }),
    )
  })
})
