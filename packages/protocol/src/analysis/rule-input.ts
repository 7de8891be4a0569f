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

/** What stays the same from one decision of an agent to the next. */
export type RuleBasis = {
  card: AnalysedCard
  conscienceValues: readonly CheckedValue[]
}

/** One decision. Texts as truncated; an absent one is empty. */
export type RuleFacts = {
  thinking: string
  output: string
  actions: readonly string[]
  context: Readonly<Record<string, unknown>>
}

/** What is declared of a decision, beside the card. */
export type Declared = Pick<RuleBasis, 'card'> & Pick<RuleFacts, 'actions' | 'context'>
