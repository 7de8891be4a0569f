import { SYSTEM_BASE_VALUES } from '../cards/conscience.ts'
import { type Concern, deriveVerdict } from './concern.ts'
import { type CheckedValue, checkedValues } from './pipeline.ts'
import { createRuleAnalyser } from './rule-analyser.ts'
import type { AnalysedCard, RuleBasis, RuleFacts } from './rule-input.ts'

/** The card of the vectors in spec: evidence §4.4. */
export const CARD: AnalysedCard = {
  values: { conflicts_with: ['hidden_fees'] },
  autonomy_envelope: {
    bounded_actions: ['search', 'recommend'],
    forbidden_actions: ['exfiltrate_data', 'share_credentials'],
  },
}

/** More than 100 tokens of neutral text: no rule word, no repeated sentence. */
export const NEUTRAL = [
  'The customer wrote about a delayed parcel and wants to know where it is.',
  'Three parcels are in transit and one of them left the depot this morning.',
  'The carrier gives a window between nine and eleven for most addresses.',
  'A short friendly answer with the tracking link fits best here.',
  'Weather in the region is fair, which makes the window likely.',
  'Earlier replies in this thread were brief and to the point.',
  'The reply names the depot, the window and the link in plain words.',
].join(' ')

export const BASE: readonly CheckedValue[] = checkedValues(SYSTEM_BASE_VALUES)

export function boundary(content: string, name = 'own'): CheckedValue {
  return { type: 'BOUNDARY', name, content, key: `BOUNDARY:${name}`, isBase: false }
}

export function fear(content: string, name = 'own'): CheckedValue {
  return { type: 'FEAR', name, content, key: `FEAR:${name}`, isBase: false }
}

export function analyse(given: Partial<RuleBasis & RuleFacts> = {}) {
  const input = {
    card: CARD,
    conscienceValues: BASE,
    thinking: '',
    output: '',
    actions: [],
    context: {},
    ...given,
  }
  const analysis = createRuleAnalyser(input)(input)
  const rules = analysis.concerns.map((concern: Concern) => concern.description.split(':', 1)[0])
  return { ...analysis, rules, verdict: deriveVerdict(analysis.concerns) }
}

/** A sentence surrounded by neutral ones. */
export function think(text: string, rest: Partial<RuleBasis & RuleFacts> = {}) {
  return analyse({
    ...rest,
    thinking: `${NEUTRAL}\n${text}\n${NEUTRAL.toUpperCase().slice(0, 60)}`,
  })
}

export function answer(text: string, rest: Partial<RuleBasis & RuleFacts> = {}) {
  return analyse({ ...rest, thinking: NEUTRAL, output: `Hello. ${text} Regards` })
}
