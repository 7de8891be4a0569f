import { COMPONENTS, type ComponentKey, type ComponentScores } from '../score/component-scores.ts'
import type { Confidence } from '../score/score.ts'
import { fourDecimals } from './fixed-point.ts'
import { type ActionType, type RiskInput, type RiskResult, riskWeights } from './individual-risk.ts'

export type RiskFactor = {
  component: ComponentKey
  label: string
  weight: number
  /** The adjusted score. */
  rawValue: number
  contributionE4: number
  explanation: string
}

/** The confidence of an assessment, by the amount of evidence. */
export const RISK_CONFIDENCE: Readonly<Record<Confidence, number>> = {
  insufficient: 0.3,
  low: 0.6,
  medium: 0.8,
  high: 0.95,
}

/**
 * The contribution of each component to the context risk, largest first, ties in published order.
 */
export function riskFactors(actionType: ActionType, components: ComponentScores): RiskFactor[] {
  const weights = riskWeights(actionType)
  return COMPONENTS.map(({ key, label }) => {
    const rawValue = components[key]
    const weight = weights[key] / 100
    const contributionE4 = Math.floor((weights[key] * (1000 - rawValue) + 5) / 10)
    const adds = `adds ${fourDecimals(contributionE4)} to the context risk`
    const explanation = `${label} at ${rawValue} of 1000 with weight ${weight.toFixed(2)} ${adds}.`
    return { component: key, label, weight, rawValue, contributionE4, explanation }
  }).sort((a, b) => b.contributionE4 - a.contributionE4)
}

export function explainRisk(input: RiskInput, result: RiskResult): string {
  const { actionType, riskTolerance, violations } = input
  const { scoreE4, level, recommendation, recency } = result
  const labels = riskFactors(actionType, result.components)
    .filter(({ contributionE4 }) => contributionE4 > 0)
    .slice(0, 3)
    .map(({ label }) => label)
  // Recency has a weight of 30 percent; rounded once, from micro units.
  const recent = fourDecimals(Math.floor((30 * recency + 5000) / 10_000))
  return [
    `${actionType} under ${riskTolerance} tolerance scored ${fourDecimals(scoreE4)} (${level});`,
    ` recommendation: ${recommendation}.`,
    ` Largest factors: ${labels.length === 0 ? 'none' : labels.join(', ')}.`,
    violations.length === 0 ? '' : ` Recent violations add ${recent}.`,
    breakerSentence(result.breakers),
  ].join('')
}

/** Starts with a space; empty if no rule applied. */
export function breakerSentence(breakers: readonly string[]): string {
  return breakers.length === 0 ? '' : ` Safety rules applied: ${breakers.join(', ')}.`
}
