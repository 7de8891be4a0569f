import { round, roundTo } from '../base/rounding.ts'
import { complianceAfter } from './compliance.ts'
import { type ComponentScores, componentScores, compositeScore } from './component-scores.ts'
import { GRADES, type Grade } from './grade.ts'
import { normalCdf } from './normal-distribution.ts'
import { type Evidence, type ReasonCode, reasonCodes } from './reason-codes.ts'
import { isEligible } from './score.ts'
import type { ScoreInput } from './score-input.ts'

/** The 0.975 quantile of the normal distribution, for intervals at level 0.95. */
const Z = 1.959964
export const INTERVAL_LEVEL = 0.95
export const FORECAST_DAYS = [7, 14, 28, 56] as const

/** How far the true score may lie below and above the published one. */
export type Margins = { down: number; up: number }

export type GradeProbability = Record<Grade, number>

/** The uncertainty that a single number hides. */
export type Uncertainty = {
  scoreInterval: { level: number; low: number; high: number }
  conservativeScore: number
  gradeProbability: GradeProbability
  reasonCodes: readonly ReasonCode[]
  recoveryForecast: readonly { days: number; score: number }[]
}

/** Undefined for an agent that is not eligible, whose score must not be derivable. */
export function describeUncertainty(
  input: ScoreInput,
  evidence: Evidence,
): Uncertainty | undefined {
  if (!isEligible(input.checkpoints.scored)) return undefined
  const scores = componentScores(input)
  const score = compositeScore(scores)
  const margins = scoreMargins(input, scores)
  const low = lowEnd(score, margins)
  const high = Math.min(1000, round(score + margins.up))
  return {
    scoreInterval: { level: INTERVAL_LEVEL, low, high },
    conservativeScore: low,
    gradeProbability: gradeProbability(score, margins),
    reasonCodes: reasonCodes({ input, scores, evidence }),
    recoveryForecast: FORECAST_DAYS.map((days) => {
      const compliance = complianceAfter(days, input)
      return { days, score: compositeScore({ ...scores, compliance }) }
    }),
  }
}

/** The low end of the score's interval. */
export function conservativeScore(input: ScoreInput, scores: ComponentScores): number {
  return lowEnd(compositeScore(scores), scoreMargins(input, scores))
}

function lowEnd(score: number, { down }: Margins): number {
  return Math.max(0, round(score - down))
}

/**
 * The Wilson score interval for k successes in n, which behaves well for few and for no successes.
 */
export function wilsonInterval(k: number, n: number): { low: number; high: number } {
  const p = k / n
  const scale = 1 + Z ** 2 / n
  const centre = (p + Z ** 2 / (2 * n)) / scale
  const half = (Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2))) / scale
  // At the ends the bound is exact, and a rounding error there would introduce a margin.
  return { low: k === 0 ? 0 : centre - half, high: k === n ? 1 : centre + half }
}

/** Only the two ratios are samples; the other components are treated as certain. */
export function scoreMargins(
  { checkpoints, sessions }: ScoreInput,
  scores: ComponentScores,
): Margins {
  const integrity = wilsonInterval(checkpoints.clear, checkpoints.scored)
  const drift =
    sessions.total === 0
      ? undefined
      : wilsonInterval(sessions.total - sessions.unstable, sessions.total)
  const margin = (bound: 'low' | 'high') =>
    Math.hypot(
      0.4 * (scores.integrity_ratio - 1000 * integrity[bound]),
      drift === undefined ? 0 : 0.2 * (scores.drift_stability - 1000 * drift[bound]),
    )
  return { down: margin('low'), up: margin('high') }
}

/**
 * The shares of two half-normal distributions that meet at the score, each as wide as its margin.
 */
export function gradeProbability(score: number, margins: Margins): GradeProbability {
  // Half a point below each minimum, because a score from there on rounds up into the grade.
  const below = (scoreMin: number) => shareBelow(scoreMin - 0.5 - score, margins)
  const share = (grade: Grade) => {
    const at = GRADES.findIndex((entry) => entry.grade === grade)
    const low = at === GRADES.length - 1 ? 0 : below(GRADES[at]?.scoreMin ?? 0)
    const high = at === 0 ? 1 : below(GRADES[at - 1]?.scoreMin ?? 0)
    return roundTo(high - low, 4)
  }
  return {
    AAA: share('AAA'),
    AA: share('AA'),
    A: share('A'),
    BBB: share('BBB'),
    BB: share('BB'),
    B: share('B'),
    CCC: share('CCC'),
  }
}

/**
 * Each side holds half of the probability. A side without width holds its half at the score itself,
 * which is the limit of ever narrower sides, so that the first bad checkpoint causes no jump.
 */
function shareBelow(distance: number, { down, up }: Margins): number {
  const width = distance < 0 ? down : up
  if (width === 0) return distance < 0 ? 0 : 1
  return normalCdf((distance * Z) / width)
}
