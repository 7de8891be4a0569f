import { type ViolationImpact, weighViolations } from './compliance.ts'
import {
  COMPONENTS,
  type ComponentKey,
  type ComponentScores,
  componentScores,
  compositeScore,
} from './component-scores.ts'
import { factorsOf } from './factors.ts'
import { type Grade, NOT_RATED, standingOf, type Tier } from './grade.ts'
import type { ScoreInput } from './score-input.ts'

/** An agent with fewer checkpoints is unrated: a handful of good decisions proves nothing. */
export const CHECKPOINTS_MIN = 50

/**
 * The version of the rules from evidence to score; any change that could alter a score needs a new
 * version. In 1 all stored traces counted as traced, and there was no assurance.
 */
export const METHODOLOGY = '2'

/**
 * Most evidence first; each level covers the counts from its minimum up to that of the level
 * before.
 */
export const CONFIDENCE_LEVELS = [
  { confidence: 'high', checkpointsMin: 1000 },
  { confidence: 'medium', checkpointsMin: 200 },
  { confidence: 'low', checkpointsMin: CHECKPOINTS_MIN },
  { confidence: 'insufficient', checkpointsMin: 0 },
] as const

export type Confidence = (typeof CONFIDENCE_LEVELS)[number]['confidence']

/** Whether a component was observed, or has its default without observations. */
export type Basis = 'measured' | 'default'

type ComponentName = { key: ComponentKey; label: string; weight: number }

export type RatedComponent = ComponentName & {
  score: number
  weightedScore: number
  factors: readonly string[]
  basis: Basis
  /** The number of observations: checkpoints, violations, sessions, traces or peers. */
  n: number
}

/** Without numbers, so that nobody can derive an unpublished score. */
export type UnratedComponent = ComponentName & {
  score: null
  weightedScore: null
  factors: readonly string[]
  basis: null
  n: null
}

export type Rated = {
  isEligible: true
  score: number
  grade: Grade
  tier: Tier
  checkpointCount: number
  confidence: Confidence
  components: readonly RatedComponent[]
}

export type Unrated = {
  isEligible: false
  score: null
  grade: typeof NOT_RATED.grade
  tier: typeof NOT_RATED.tier
  checkpointCount: number
  confidence: 'insufficient'
  components: readonly UnratedComponent[]
}

/**
 * The reputation of an agent. The same evidence always gives the same result, so anybody with the
 * evidence can recompute what was published.
 */
export function rate(input: ScoreInput): Rated | Unrated {
  // Computed once, because an agent may have many violations, and a run rates thousands of agents.
  const weighed = weighViolations(input.violations, input.nowMs)
  const scores = componentScores(input, weighed)
  const checkpointCount = input.checkpoints.scored
  if (!isEligible(checkpointCount)) return unrated(checkpointCount)
  const score = compositeScore(scores)
  return {
    isEligible: true,
    score,
    ...standingOf(score),
    checkpointCount,
    confidence: confidenceOf(checkpointCount),
    components: ratedComponents(input, { scores, weighed }),
  }
}

/** The published rating of an agent with too few checkpoints. */
export function unrated(checkpointCount: number): Unrated {
  const factors = [`Not rated: ${checkpointCount} of ${CHECKPOINTS_MIN} analysed checkpoints`]
  return {
    isEligible: false,
    score: null,
    ...NOT_RATED,
    checkpointCount,
    confidence: 'insufficient',
    components: COMPONENTS.map(({ key, label, weightTenths }) => {
      const weight = weightTenths / 10
      return { key, label, weight, score: null, weightedScore: null, factors, basis: null, n: null }
    }),
  }
}

export function isEligible(checkpointCount: number): boolean {
  return checkpointCount >= CHECKPOINTS_MIN
}

export function confidenceOf(checkpointCount: number): Confidence {
  const level = CONFIDENCE_LEVELS.find(({ checkpointsMin }) => checkpointCount >= checkpointsMin)
  return level?.confidence ?? 'insufficient'
}

type Judged = { scores: ComponentScores; weighed: ViolationImpact }

function ratedComponents(input: ScoreInput, judged: Judged): RatedComponent[] {
  const { scores } = judged
  const factors = factorsOf(input, judged)
  const observations = observationsOf(input, judged.weighed)
  return COMPONENTS.map(({ key, label, weightTenths }) => ({
    key,
    label,
    weight: weightTenths / 10,
    score: scores[key],
    weightedScore: (weightTenths * scores[key]) / 10,
    factors: factors[key],
    ...observations[key],
  }))
}

function observationsOf(
  input: ScoreInput,
  weighed: ViolationImpact,
): Record<ComponentKey, { basis: Basis; n: number }> {
  const { checkpoints, sessions, tracesVerified, peers } = input
  const basis = (measured: boolean): Basis => (measured ? 'measured' : 'default')
  return {
    integrity_ratio: { basis: 'measured', n: checkpoints.scored },
    compliance: {
      basis: 'measured',
      n: weighed.violations,
    },
    drift_stability: { basis: basis(sessions.total > 0), n: sessions.total },
    trace_completeness: { basis: basis(checkpoints.scored > 0), n: tracesVerified },
    coherence_compatibility: { basis: basis(peers.count > 0), n: peers.count },
  }
}
