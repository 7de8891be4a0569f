import { round } from '../base/rounding.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from './assurance.ts'
import { GRADES, type Grade, standingOf } from './grade.ts'

/** The number of subjects with a score. There are 1001 scores, so a table of them stays small. */
export type ScoreTally = { score: number; count: number }

/** The number of subjects at an assurance level. */
export type AssuranceTally = { level: AssuranceLevel; count: number }

export type Benchmarks = {
  totalScored: number
  meanScore: number
  /** Same as p50. */
  medianScore: number
  /** Every grade from the best down, including empty ones. */
  distribution: readonly { grade: Grade; count: number; percentage: number }[]
  percentiles: { p10: number; p25: number; p50: number; p75: number; p90: number }
  /** Every level from 0 up; scores without an assurance are in none. */
  assuranceLevels: readonly AssuranceTally[]
}

/** A score may occur in several tallies. Without scores, every number is 0. */
export function benchmarks(
  tallies: readonly ScoreTally[],
  assurances: readonly AssuranceTally[],
): Benchmarks {
  const total = tallies.reduce((sum, { count }) => sum + count, 0)
  const points = tallies.reduce((sum, { score, count }) => sum + score * count, 0)
  const at = (percent: number) => percentile(tallies, percent)
  const p50 = at(50)
  return {
    totalScored: total,
    meanScore: total === 0 ? 0 : round(points / total),
    medianScore: p50,
    distribution: GRADES.map(({ grade }) => {
      const count = tallies
        .filter(({ score }) => standingOf(score).grade === grade)
        .reduce((sum, tally) => sum + tally.count, 0)
      return { grade, count, percentage: total === 0 ? 0 : round((1000 * count) / total) / 10 }
    }),
    percentiles: { p10: at(10), p25: at(25), p50, p75: at(75), p90: at(90) },
    assuranceLevels: ASSURANCE_LEVELS.map(({ level }) => {
      const own = assurances.filter((tally) => tally.level === level)
      return { level, count: own.reduce((sum, { count }) => sum + count, 0) }
    }),
  }
}

/**
 * Interpolates linearly between the two nearest ranks; 0 without scores. `percent` is an integer.
 */
export function percentile(tallies: readonly ScoreTally[], percent: number): number {
  const total = tallies.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return 0
  const ascending = tallies.toSorted((a, b) => a.score - b.score)
  // Hundredths of a rank, because p/100 in doubles would round some half points the wrong way.
  const hundredths = percent * (total - 1)
  const rank = Math.floor(hundredths / 100)
  const part = hundredths % 100
  const low = scoreAt(ascending, rank)
  const high = part === 0 ? low : scoreAt(ascending, rank + 1)
  return round((100 * low + part * (high - low)) / 100)
}

function scoreAt(ascending: readonly ScoreTally[], rank: number): number {
  let seen = 0
  for (const { score, count } of ascending) {
    seen += count
    if (rank < seen) return score
  }
  throw new RangeError('rank out of range')
}
