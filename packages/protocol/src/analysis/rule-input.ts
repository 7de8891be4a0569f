import type { CheckedValue } from './pipeline.ts'

/** The part of the composed card that the rules read. */
export type AnalysedCard = {
  values: { conflicts_with?: readonly string[] }
  autonomy_envelope: {
    bounded_actions: readonly string[]
    forbidden_actions?: readonly string[]
    escalation_triggers?: readonly { condition: string; action: string; reason: string }[]
    max_autonomous_value?: { amount: number }
  }
}

/** The inputs that stay the same between submissions of an agent. */
export type RuleBasis = {
  card: AnalysedCard
  conscienceValues: readonly CheckedValue[]
}

/** One submission, with its texts as truncated; an absent text is empty. */
export type RuleFacts = {
  thinking: string
  output: string
  actions: readonly string[]
  context: Readonly<Record<string, unknown>>
}

/** The declared facts of a submission, with the card. */
export type Declared = Pick<RuleBasis, 'card'> & Pick<RuleFacts, 'actions' | 'context'>
