import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { benchmarks, percentile } from './benchmarks.ts'
import { readVectors } from './score-input.fixture.ts'

type Case = {
  scores: number[]
  benchmarks: {
    total_scored: number
    mean_score: number
    median_score: number
    distribution: { grade: string; count: number; percentage: number }[]
    percentiles: Record<string, number>
  }
}
const { cases } = readVectors<{ cases: Case[] }>('benchmarks')

const single = (scores: readonly number[]) => scores.map((score) => ({ score, count: 1 }))
const tallied = (scores: readonly number[]) =>
  [...new Set(scores)].map((score) => {
    return { score, count: scores.filter((other) => other === score).length }
  })

const someScores = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 60 })

describe('benchmarks', () => {
  it.each(cases)('of $scores match the published ones', ({ scores, benchmarks: expected }) => {
    expect(benchmarks(tallied(scores), [])).toEqual({
      totalScored: expected.total_scored,
      meanScore: expected.mean_score,
      medianScore: expected.median_score,
      distribution: expected.distribution,
      percentiles: expected.percentiles,
      assuranceLevels: [0, 1, 2, 3, 4].map((level) => ({ level, count: 0 })),
    })
  })

  it('are the same from tallies and from single scores, in any order', () => {
    fc.assert(
      fc.property(someScores, (scores) => {
        expect(benchmarks(tallied(scores).toReversed(), [])).toEqual(benchmarks(single(scores), []))
      }),
    )
  })

  it('count every score in one grade, with shares that add up to 100, up to rounding', () => {
    fc.assert(
      fc.property(someScores, (scores) => {
        const { distribution, totalScored, medianScore, percentiles } = benchmarks(
          single(scores),
          [],
        )
        expect(distribution.reduce((sum, { count }) => sum + count, 0)).toBe(totalScored)
        const sum = distribution.reduce((total, { percentage }) => total + percentage, 0)
        expect(Math.abs(sum - 100)).toBeLessThanOrEqual(7 * 0.05 + 1e-9)
        expect(medianScore).toBe(percentiles.p50)
      }),
    )
  })
})

describe('assurance levels', () => {
  it('are counted, including empty ones, whatever the tallies', () => {
    const tallies = [
      { level: 2 as const, count: 3 },
      { level: 0 as const, count: 1 },
      { level: 2 as const, count: 4 },
    ]
    const { assuranceLevels } = benchmarks([], tallies)
    expect(assuranceLevels.map(({ count }) => count)).toEqual([1, 0, 7, 0, 0])
  })
})

describe('percentile', () => {
  it('rises with the percentage, from the lowest score to the highest', () => {
    fc.assert(
      fc.property(someScores, (scores) => {
        const values = Array.from({ length: 101 }, (_, percent) => {
          return percentile(single(scores), percent)
        })
        expect(values).toEqual(values.toSorted((a, b) => a - b))
        expect([values.at(0), values.at(-1)]).toEqual([Math.min(...scores), Math.max(...scores)])
      }),
    )
  })

  it('rounds half a point up where floating point would not', () => {
    // The rank is 4.3 and the value 1.5, for which doubles give 1.4999999999999991.
    const tallies = [
      { score: 0, count: 5 },
      { score: 5, count: 39 },
    ]
    expect(percentile(tallies, 10)).toBe(2)
  })
})
