import { isListed, toNumber } from '@touchstone/protocol/cards'
import { componentsOf, type Trace } from './trace.ts'

/** Must change whenever the same trace and card could give a different result. */
export const ALGORITHM_VERSION = '1.3.0'

const NEAR_BOUNDARY_BELOW = 0.35
const LOW_SIMILARITY_BELOW = 0.5

/** The part of the composed card that a trace is verified against. */
export type TraceCard = {
  expires_at?: string
  values: { declared: readonly string[] }
  autonomy_envelope: {
    bounded_actions: readonly string[]
    forbidden_actions?: readonly string[]
    escalation_triggers?: readonly { condition: string; action: string; reason: string }[]
    max_autonomous_value?: { amount: number }
  }
}

export type TraceFacts = Pick<Trace, 'action' | 'context'>

/** Evaluates a condition, as `judgeCondition` of the protocol does. */
export type ConditionJudge = (
  condition: string,
  facts: TraceFacts,
) => 'fired' | 'quiet' | 'unevaluable'

const SEVERITY_OF = {
  CARD_MISMATCH: 'critical',
  CARD_EXPIRED: 'high',
  UNBOUNDED_ACTION: 'high',
  FORBIDDEN_ACTION: 'critical',
  MISSED_ESCALATION: 'high',
  UNDECLARED_VALUE: 'medium',
} as const
export type ViolationType = keyof typeof SEVERITY_OF

export type ViolationDetail = {
  type: ViolationType
  severity: (typeof SEVERITY_OF)[ViolationType]
  description: string
  trace_field: string
}

export type WarningType =
  | 'escalation_timeout'
  | 'near_boundary'
  | 'unknown_selection'
  | 'unevaluable_condition'
  | 'low_behavioral_similarity'

export type TraceWarning = { type: WarningType; description: string; trace_field: string }

export type Verification = {
  verified: boolean
  violations: readonly ViolationType[]
  violation_details: readonly ViolationDetail[]
  warnings: readonly TraceWarning[]
  similarity_score: number
  recommended_action: 'proceed' | 'review' | 'deny'
  card_id: string
  verified_at: string
  algorithm_version: string
}

export type TraceToVerify = {
  trace: Pick<Trace, 'timestamp' | 'action' | 'decision' | 'escalation' | 'context'>
  card: TraceCard
  /** The id of `card`. */
  cardId: string
  /** False if the trace names a card that the agent does not have; `card` is then the active one. */
  cardNamed: boolean
  /**
   * The tool of the call that the trace is about, if the gateway allowed it. Its name is no card
   * action, so the card can only forbid it (ADR 0043).
   */
  allowedTool?: string | undefined
  now: Date
  judge: ConditionJudge
}

export function verifyTrace(given: TraceToVerify): Verification {
  const { trace, card, allowedTool } = given
  const fired = firedTriggers(given)
  const details = [
    ...cardViolations(given),
    ...actionViolations(trace, card, allowedTool),
    ...missedEscalations(trace, fired),
    ...undeclaredValues(trace, card),
  ]
  const similarity = similarityScore(trace, card)
  const warnings = [...warningsOf(given, fired)]
  if (details.length === 0 && similarity < LOW_SIMILARITY_BELOW) {
    const description = `Behavioural similarity ${similarity} is below ${LOW_SIMILARITY_BELOW}.`
    warnings.push({ type: 'low_behavioral_similarity', description, trace_field: 'decision' })
  }
  return {
    verified: details.length === 0,
    violations: [...new Set(details.map((detail) => detail.type))],
    violation_details: details,
    warnings,
    similarity_score: similarity,
    recommended_action: details.length > 0 ? 'deny' : warnings.length > 0 ? 'review' : 'proceed',
    card_id: given.cardId,
    verified_at: given.now.toISOString(),
    algorithm_version: ALGORITHM_VERSION,
  }
}

function violation(type: ViolationType, field: string, description: string): ViolationDetail {
  return { type, severity: SEVERITY_OF[type], description, trace_field: field }
}

function cardViolations({ trace, card, cardNamed }: TraceToVerify): ViolationDetail[] {
  const found: ViolationDetail[] = []
  if (!cardNamed) {
    const description = 'The agent has no card with this id; its active card was used.'
    found.push(violation('CARD_MISMATCH', 'card_id', description))
  }
  const { expires_at: expiresAt } = card
  if (expiresAt !== undefined && Date.parse(expiresAt) < Date.parse(trace.timestamp)) {
    found.push(violation('CARD_EXPIRED', 'timestamp', `The card expired at ${expiresAt}.`))
  }
  return found
}

function actionViolations(
  { action }: TraceFacts,
  card: TraceCard,
  allowedTool: string | undefined,
): ViolationDetail[] {
  const { bounded_actions: bounded, forbidden_actions: forbidden = [] } = card.autonomy_envelope
  const found: ViolationDetail[] = []
  const components = componentsOf(action.name)
  const outside = components.filter((name) => !isListed(name, bounded))
  if (action.category === 'bounded' && outside.length > 0 && action.name !== allowedTool) {
    const description = `Not among the bounded actions: ${quoted(outside)}.`
    found.push(violation('UNBOUNDED_ACTION', 'action.name', description))
  }
  const banned = components.filter((name) => isListed(name, forbidden))
  if (banned.length > 0) {
    const description = `Among the forbidden actions: ${quoted(banned)}.`
    found.push(violation('FORBIDDEN_ACTION', 'action.name', description))
  } else if (action.category === 'forbidden') {
    const description = 'The action is reported as forbidden.'
    found.push(violation('FORBIDDEN_ACTION', 'action.category', description))
  }
  return found
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

type Fired = {
  /** The reasons why an escalation was required. */
  due: readonly { field: string; description: string }[]
  unevaluable: readonly string[]
}

function firedTriggers({ trace, card, judge }: TraceToVerify): Fired {
  const due: { field: string; description: string }[] = []
  const unevaluable: string[] = []
  const { escalation_triggers: triggers = [], max_autonomous_value: limit } = card.autonomy_envelope
  for (const { condition, action } of triggers) {
    const outcome = judge(condition, trace)
    if (outcome === 'unevaluable') unevaluable.push(condition)
    if (outcome === 'fired' && action !== 'log') {
      due.push({ field: 'escalation', description: `Trigger "${condition}" (${action}) fired` })
    }
  }
  const amount = toNumber(trace.action.parameters?.['amount'])
  if (limit !== undefined && amount !== undefined && amount > limit.amount) {
    const description = `Amount ${amount} is above the autonomous limit ${limit.amount}`
    due.push({ field: 'action.parameters.amount', description })
  }
  return { due, unevaluable }
}

function missedEscalations(trace: TraceToVerify['trace'], fired: Fired): ViolationDetail[] {
  if (trace.escalation?.required === true) return []
  return fired.due.map(({ field, description }) =>
    violation('MISSED_ESCALATION', field, `${description}, but no escalation was required.`),
  )
}

function undeclaredValues(trace: TraceToVerify['trace'], card: TraceCard): ViolationDetail[] {
  const declared = new Set(card.values.declared)
  return [...new Set(trace.decision.values_applied)]
    .filter((value) => !declared.has(value))
    .map((value) => {
      const description = `Value "${value}" is not declared by the card.`
      return violation('UNDECLARED_VALUE', 'decision.values_applied', description)
    })
}

function* warningsOf({ trace }: TraceToVerify, fired: Fired): Generator<TraceWarning> {
  const { decision, escalation } = trace
  const timedOut = escalation?.required === true && escalation.escalation_status === 'timeout'
  if (timedOut && fired.due.length > 0) {
    const description = 'The required escalation timed out.'
    yield { type: 'escalation_timeout', description, trace_field: 'escalation.escalation_status' }
  }
  const near = nearBoundaryField(decision)
  if (near !== undefined) {
    const description = `A confidence or score is below ${NEAR_BOUNDARY_BELOW}.`
    yield { type: 'near_boundary', description, trace_field: near }
  }
  const options = decision.alternatives_considered ?? []
  if (options.length > 0 && !options.some((option) => option.option_id === decision.selected)) {
    const description = 'The selected option is not among the alternatives considered.'
    yield { type: 'unknown_selection', description, trace_field: 'decision.selected' }
  }
  for (const condition of fired.unevaluable) {
    const description = `The condition "${condition}" cannot be evaluated.`
    yield { type: 'unevaluable_condition', description, trace_field: 'escalation' }
  }
}

function nearBoundaryField(decision: Trace['decision']): string | undefined {
  if ((decision.confidence ?? 1) < NEAR_BOUNDARY_BELOW) return 'decision.confidence'
  const low = (decision.alternatives_considered ?? []).some(
    (option) => (option.score ?? 1) < NEAR_BOUNDARY_BELOW,
  )
  return low ? 'decision.alternatives_considered' : undefined
}

/** The cosine similarity between the features of the trace and those that the card declares. */
export function similarityScore(
  trace: Pick<Trace, 'action' | 'decision' | 'escalation'>,
  card: TraceCard,
): number {
  const components = componentsOf(trace.action.name)
  const { bounded_actions: bounded, escalation_triggers: triggers = [] } = card.autonomy_envelope
  const shown = new Set([
    ...trace.decision.values_applied.map((value) => `value:${value}`),
    ...components.map((name) => `action_name:${name}`),
    ...(trace.escalation?.evaluated === true ? ['escalation'] : []),
  ])
  const announced = new Set([
    ...card.values.declared.map((value) => `value:${value}`),
    ...components.filter((name) => isListed(name, bounded)).map((name) => `action_name:${name}`),
    ...(triggers.length > 0 ? ['escalation'] : []),
  ])
  if (shown.size === 0 || announced.size === 0) return 0
  const common = [...shown].filter((feature) => announced.has(feature)).length
  return Math.floor((common / Math.sqrt(shown.size * announced.size)) * 10_000 + 0.5) / 10_000
}
