import type { Severity } from '../policy/policy.ts'
import { COMPONENTS, type ComponentKey, type ComponentScores } from '../score/component-scores.ts'
import { CHECKPOINTS_MIN, type Confidence, confidenceOf } from '../score/score.ts'
import { decay, MICRO, mul, toE4 } from './fixed-point.ts'

/** Versions every rule in this file: any change that could alter a result needs a new name. */
export const RISK_FORMULA = 'risk-v1'

/** Violations at least this many whole days old do not count. */
export const RISK_VIOLATION_DAYS_END = 180

export const ACTION_TYPES = [
  'financial_transaction',
  'data_access',
  'task_delegation',
  'tool_invocation',
  'autonomous_operation',
  'multi_agent_coordination',
] as const
export type ActionType = (typeof ACTION_TYPES)[number]

/** In percent, in the published order of components. */
const WEIGHTS: Readonly<Record<ActionType, readonly [number, number, number, number, number]>> = {
  financial_transaction: [30, 30, 15, 10, 15],
  data_access: [35, 25, 15, 15, 10],
  task_delegation: [25, 15, 15, 10, 35],
  tool_invocation: [40, 20, 20, 10, 10],
  autonomous_operation: [35, 25, 20, 10, 10],
  multi_agent_coordination: [20, 15, 15, 10, 40],
}

export const RISK_TOLERANCES = ['conservative', 'moderate', 'aggressive'] as const
export type RiskTolerance = (typeof RISK_TOLERANCES)[number]

export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/** The e4 scores at which each level ends; from the end of `high` on, the level is critical. */
export type RiskThresholds = { low: number; medium: number; high: number }

export const RISK_THRESHOLDS: Readonly<Record<RiskTolerance, RiskThresholds>> = {
  conservative: { low: 1500, medium: 3500, high: 5500 },
  moderate: { low: 2500, medium: 5000, high: 7500 },
  aggressive: { low: 3500, medium: 6000, high: 8500 },
}

export type RiskRecommendation = 'approve' | 'review' | 'deny'

/** In the order in which they are reported. */
export const RISK_BREAKERS = [
  'agent_contained',
  'reputation_floor',
  'recent_critical_violation',
  'insufficient_history',
  'autonomy_limit',
  'counterparty_contained',
  'counterparty_conflict',
] as const
export type RiskBreaker = (typeof RISK_BREAKERS)[number]

/** A boundary violation that is not a card gap. */
export type RiskViolation = { severity: Severity; days: number }

/** An unknown id, or an agent that the caller may not see, is simply unrated. */
export type Counterparty = { conflict: boolean; contained: boolean } & (
  | { kind: 'rated'; score: number }
  | { kind: 'unrated'; score: null }
)

/** The facts about an agent that do not depend on the action. All numbers are integers. */
export type RiskSubject = {
  analysedCheckpoints: number
  /** Null below 50 checkpoints. */
  reputation: number | null
  /** As scored; the formula itself adjusts them for a short history. */
  components: ComponentScores
  /** Violations younger than `RISK_VIOLATION_DAYS_END`. */
  violations: readonly RiskViolation[]
  contained: boolean
}

/** Amounts are in hundredths. */
export type RiskInput = RiskSubject & {
  actionType: ActionType
  riskTolerance: RiskTolerance
  amountMinor: number | null
  maxAutonomousMinor: number | null
  counterparty: Counterparty | null
}

/** Micro units, unless the name says e4. */
export type RiskResult = {
  context: number
  recency: number
  confidencePenalty: number
  base: number
  amountSurcharge: number
  counterpartySurcharge: number
  /** After breakers. */
  scoreE4: number
  level: RiskLevel
  recommendation: RiskRecommendation
  breakers: readonly RiskBreaker[]
  confidence: Confidence
  /** Adjusted for a short history. */
  components: ComponentScores
}

/**
 * The risk of letting one agent take one action, in integers throughout, because a prover runs the
 * same formula.
 */
export function individualRisk(input: RiskInput): RiskResult {
  const components = adjustedComponents(input)
  const confidence = confidenceOf(input.analysedCheckpoints)
  const context = contextRisk(input.actionType, components)
  const recency = recencyRisk(input.violations)
  const confidencePenalty = CONFIDENCE_PENALTY[confidence]
  const base = Math.floor((60 * context + 30 * recency + 10 * confidencePenalty + 50) / 100)
  const amountSurcharge = surchargeOfAmount(input)
  const counterpartySurcharge = surchargeOfCounterparty(input.counterparty)
  const withAmount = mul(MICRO - base, MICRO - amountSurcharge)
  const scoreE4 = toE4(MICRO - mul(withAmount, MICRO - counterpartySurcharge))
  return {
    context,
    recency,
    confidencePenalty,
    base,
    amountSurcharge,
    counterpartySurcharge,
    ...judge(scoreE4, input),
    confidence,
    components,
  }
}

/** The weight of each component for an action, in percent. */
export function riskWeights(actionType: ActionType): Record<ComponentKey, number> {
  const [integrity, compliance, drift, traces, coherence] = WEIGHTS[actionType]
  return {
    integrity_ratio: integrity,
    compliance,
    drift_stability: drift,
    trace_completeness: traces,
    coherence_compatibility: coherence,
  }
}

export function riskLevel(scoreE4: number, thresholds: RiskThresholds): RiskLevel {
  if (scoreE4 < thresholds.low) return 'low'
  if (scoreE4 < thresholds.medium) return 'medium'
  return scoreE4 < thresholds.high ? 'high' : 'critical'
}

/** The minimum score after a breaker that denies. */
export const DENIED_E4_MIN = 9000

/** Below this reputation nothing is approved. */
export const REPUTATION_FLOOR = 200

const CONFIDENCE_PENALTY: Readonly<Record<Confidence, number>> = {
  insufficient: 300_000,
  low: 200_000,
  medium: 100_000,
  high: 0,
}

const SEVERITY_WEIGHT: Readonly<Record<Severity, number>> = {
  critical: 1_000_000,
  high: 700_000,
  medium: 400_000,
  low: 100_000,
}

/** Shrinks components with little evidence towards the middle: missing checkpoints count as 500. */
function adjustedComponents({ analysedCheckpoints: n, components }: RiskSubject): ComponentScores {
  if (n >= CHECKPOINTS_MIN) return components
  const adjust = (score: number) =>
    Math.floor((n * score + (CHECKPOINTS_MIN - n) * 500 + CHECKPOINTS_MIN / 2) / CHECKPOINTS_MIN)
  return {
    integrity_ratio: adjust(components.integrity_ratio),
    compliance: adjust(components.compliance),
    drift_stability: adjust(components.drift_stability),
    trace_completeness: adjust(components.trace_completeness),
    coherence_compatibility: adjust(components.coherence_compatibility),
  }
}

function contextRisk(actionType: ActionType, components: ComponentScores): number {
  const weights = riskWeights(actionType)
  return COMPONENTS.reduce((sum, { key }) => sum + weights[key] * (1000 - components[key]) * 10, 0)
}

/** The recency that one violation adds, in micro units. */
export function violationRisk({ severity, days }: RiskViolation): number {
  return mul(SEVERITY_WEIGHT[severity], decay(days))
}

function recencyRisk(violations: readonly RiskViolation[]): number {
  const sum = violations.reduce((sum, violation) => sum + violationRisk(violation), 0)
  return Math.min(MICRO, sum)
}

function surchargeOfAmount({ actionType, amountMinor }: RiskInput): number {
  if (actionType !== 'financial_transaction' || amountMinor === null) return 0
  if (amountMinor < 100_000) return 0
  if (amountMinor < 1_000_000) return 20_000
  if (amountMinor < 10_000_000) return 50_000
  return amountMinor < 100_000_000 ? 100_000 : 150_000
}

function surchargeOfCounterparty(counterparty: Counterparty | null): number {
  if (counterparty === null) return 0
  const own = counterparty.kind === 'rated' ? (1000 - counterparty.score) * 100 : 50_000
  return own + (counterparty.conflict ? 50_000 : 0)
}

const DENYING: ReadonlySet<RiskBreaker> = new Set(['agent_contained', 'reputation_floor'])

const BY_LEVEL: Readonly<Record<RiskLevel, RiskRecommendation>> = {
  low: 'approve',
  medium: 'approve',
  high: 'review',
  critical: 'deny',
}

function judge(
  ownE4: number,
  input: RiskInput,
): Pick<RiskResult, 'scoreE4' | 'level' | 'recommendation' | 'breakers'> {
  const breakers = breakersOf(input)
  const denied = breakers.some((breaker) => DENYING.has(breaker))
  const scoreE4 = denied ? Math.max(ownE4, DENIED_E4_MIN) : ownE4
  const level = riskLevel(scoreE4, RISK_THRESHOLDS[input.riskTolerance])
  const reviewed = breakers.length > 0 && BY_LEVEL[level] === 'approve' ? 'review' : BY_LEVEL[level]
  return { scoreE4, level, recommendation: denied ? 'deny' : reviewed, breakers }
}

function breakersOf(input: RiskInput): RiskBreaker[] {
  const { reputation, counterparty, amountMinor, maxAutonomousMinor } = input
  const breaks: Readonly<Record<RiskBreaker, boolean>> = {
    agent_contained: input.contained,
    reputation_floor: reputation !== null && reputation < REPUTATION_FLOOR,
    recent_critical_violation: input.violations.some(
      ({ severity, days }) => severity === 'critical' && days <= 1,
    ),
    insufficient_history:
      input.analysedCheckpoints < CHECKPOINTS_MIN && input.riskTolerance !== 'aggressive',
    autonomy_limit:
      input.actionType === 'financial_transaction' &&
      amountMinor !== null &&
      maxAutonomousMinor !== null &&
      amountMinor > maxAutonomousMinor,
    counterparty_contained: counterparty?.contained ?? false,
    counterparty_conflict: counterparty?.conflict ?? false,
  }
  return RISK_BREAKERS.filter((breaker) => breaks[breaker])
}
