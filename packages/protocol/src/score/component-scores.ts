import { round } from '../base/rounding.ts'
import { complianceScore, type ViolationImpact, weighViolations } from './compliance.ts'
import { checkScoreInput, type ScoreInput, weighPeers } from './score-input.ts'

/** Weights in tenths, so that sums stay exact; they add up to ten. */
export const COMPONENTS = [
  { key: 'integrity_ratio', label: 'Integrity Ratio', weightTenths: 4 },
  { key: 'compliance', label: 'Compliance', weightTenths: 2 },
  { key: 'drift_stability', label: 'Drift Stability', weightTenths: 2 },
  { key: 'trace_completeness', label: 'Trace Completeness', weightTenths: 1 },
  { key: 'coherence_compatibility', label: 'Coherence Compatibility', weightTenths: 1 },
] as const

export type ComponentKey = (typeof COMPONENTS)[number]['key']

/** Integers from 0 to 1000. */
export type ComponentScores = Record<ComponentKey, number>

/** The weight of a pair score in the mean (spec: fleet §1.4). */
export const PAIR_WEIGHTS = { withinOrg: 0.5, acrossOrgs: 1 } as const

/** The neutral coherence of an agent without peers. */
export const COHERENCE_DEFAULT = 750

/** Computed for any number of checkpoints; `rate` decides whether they may be published. */
export function componentScores(
  input: ScoreInput,
  weighed: ViolationImpact = weighViolations(input.violations, input.nowMs),
): ComponentScores {
  checkScoreInput(input)
  const { scored, clear } = input.checkpoints
  return {
    integrity_ratio: scored === 0 ? 0 : round((1000 * clear) / scored),
    compliance: complianceScore(weighed.impact),
    drift_stability: driftStability(input.sessions),
    trace_completeness:
      scored === 0 ? 1000 : round(Math.min(1000, (1000 * input.tracesVerified) / scored)),
    coherence_compatibility: coherence(input),
  }
}

export function compositeScore(scores: ComponentScores): number {
  const tenths = COMPONENTS.reduce(
    (sum, { key, weightTenths }) => sum + weightTenths * scores[key],
    0,
  )
  // Integers only: in doubles, 0.4 a + 0.2 b + … would round some half points the wrong way.
  return Math.floor((tenths + 5) / 10)
}

/** The points that propagated adjustments add to coherence. */
export function adjustmentPoints(adjustmentE4: number): number {
  return round(adjustmentE4 / 10_000)
}

function driftStability({ total, unstable }: ScoreInput['sessions']): number {
  return total === 0 ? 1000 : round((1000 * (total - unstable)) / total)
}

function coherence({ peers, adjustmentE4 }: ScoreInput): number {
  const { count, pairScoreE4Sum } = weighPeers(peers)
  const base = count === 0 ? COHERENCE_DEFAULT : round(pairScoreE4Sum / (10 * count))
  return Math.min(1000, Math.max(0, base + adjustmentPoints(adjustmentE4)))
}
