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

/** Below this an agent is unrated: a handful of good decisions proves nothing. */
export const CHECKPOINTS_MIN = 50

/** Names the rules from evidence to score: whatever could give another number needs another one. */
export const METHODOLOGY_VERSION = '1.0.0'

/** From the most evidence down; each holds from its own minimum up to that of the one before. */
export const CONFIDENCE_LEVELS = [
  { confidence: 'high', checkpointsMin: 1000 },
  { confidence: 'medium', checkpointsMin: 200 },
  { confidence: 'low', checkpointsMin: CHECKPOINTS_MIN },
  { confidence: 'insufficient', checkpointsMin: 0 },
] as const

export type Confidence = (typeof CONFIDENCE_LEVELS)[number]['confidence']

/** Whether a component was observed, or has the value it takes without observations. */
export type Basis = 'measured' | 'default'

type ComponentName = { key: ComponentKey; label: string; weight: number }

export type RatedComponent = ComponentName & {
  score: number
  weightedScore: number
  factors: readonly string[]
  basis: Basis
  /** How many observations: checkpoints, violations, sessions, traces or peers. */
  n: number
}

/** Without numbers, so that nobody can derive a score that is not published. */
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
 * The reputation of an agent. The same evidence always gives the same answer, so anyone who
 * holds the evidence can recompute what was published.
 */
export function rate(input: ScoreInput): Rated | Unrated {
  // Once for all: an agent may have many violations, and thousands of agents are rated in a run.
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

/** What is published of an agent with so few checkpoints. */
export function unrated(checkpointCount: number): Unrated {
  const factors = [`Not rated: ${checkpointCount} of ${CHECKPOINTS_MIN} analysed checkpoints`]
  return {
    isEligible: false,
    score: null,
    ...NOT_RATED,
    checkpointCount,
    confidence: 'insufficient',
    components: COMPONENTS.map(({ key, label, tenths }) => {
      const weight = tenths / 10
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
  return COMPONENTS.map(({ key, label, tenths }) => ({
    key,
    label,
    weight: tenths / 10,
    score: scores[key],
    weightedScore: (tenths * scores[key]) / 10,
    factors: factors[key],
    ...observations[key],
  }))
}

function observationsOf(
  input: ScoreInput,
  weighed: ViolationImpact,
): Record<ComponentKey, { basis: Basis; n: number }> {
  const { checkpoints, sessions, tracesStored, peers } = input
  const basis = (measured: boolean): Basis => (measured ? 'measured' : 'default')
  return {
    integrity_ratio: { basis: 'measured', n: checkpoints.scored },
    compliance: {
      basis: 'measured',
      n: weighed.violations,
    },
    drift_stability: { basis: basis(sessions.total > 0), n: sessions.total },
    trace_completeness: { basis: basis(checkpoints.scored > 0), n: tracesStored },
    coherence_compatibility: { basis: basis(peers.count > 0), n: peers.count },
  }
}
