import type { CheckedValue } from './pipeline.ts'

/** The part of the composed card that rules read. */
export type AnalysedCard = {
  values: { conflicts_with?: readonly string[] }
  autonomy_envelope: {
    bounded_actions: readonly string[]
    forbidden_actions?: readonly string[]
    escalation_triggers?: readonly { condition: string; action: string; reason: string }[]
    max_autonomous_value?: { amount: number }
  }
}

/** Judges a condition; it is `judgeCondition` of the protocol. */
export type ConditionJudge = (
  condition: string,
  facts: { context: { metadata: Readonly<Record<string, unknown>> } },
) => 'fired' | 'quiet' | 'unevaluable'

/** What stays the same from one decision of an agent to the next. */
export type RuleBasis = {
  card: AnalysedCard
  conscienceValues: readonly CheckedValue[]
  judge: ConditionJudge
}

/** One decision. Texts as truncated; an absent one is empty. */
export type RuleFacts = {
  thinking: string
  output: string
  actions: readonly string[]
  context: Readonly<Record<string, unknown>>
}

export type RuleInput = RuleBasis & RuleFacts
