import { actionName, isListed } from '../cards/card.ts'
import { judgeCondition, toNumber } from '../cards/condition.ts'
import type { Category, ConcernSubject } from './concern.ts'
import type { Declared } from './rule-input.ts'
import { findPhrase, phraseOf, readText } from './rule-text.ts'

/** Whether the words of an entry occur in a text as the rules look for them. */
export function mentions(text: string, entry: string): boolean {
  const phrase = phraseOf(actionName(entry))
  if (phrase.first === undefined) return false
  const { stems } = readText(text)
  return findPhrase(stems, { from: 0, to: stems.length }, phrase) !== undefined
}

/** Names have no spaces, so that no sentence is stored as one. */
const NAME = /^[\p{L}\p{N}._:-]{1,128}$/u

/** The facts that a trigger or limit can be judged by again after the texts were discarded. */
export function factsOf(context: Readonly<Record<string, unknown>>): {
  amount: number | null
  action: string | null
} {
  const amount = toNumber(context['amount'])
  const action = context['action']
  return {
    amount: amount !== undefined && Number.isFinite(amount) ? amount : null,
    action: typeof action === 'string' && NAME.test(action) ? action : null,
  }
}

type Judged = {
  category: Category
  description: string
  evidence: string
  relevant_card_field: string | null
  relevant_conscience_value: string | null
}

/**
 * The subject of a concern that a model raised: the only name in the card, or among the declared
 * actions, that the concern can be about. Null if there are several, because a model's words are no
 * name.
 */
export function subjectAmong(concern: Judged, declared: Declared): ConcernSubject | null {
  const field = concern.relevant_card_field ?? ''
  const text = `${concern.evidence} ${concern.description}`
  if (field.endsWith('forbidden_actions')) return forbiddenSubject(text, declared)
  if (field.endsWith('bounded_actions')) return unboundedSubject(text, declared)
  if (field.endsWith('escalation_triggers')) return triggerSubject(declared)
  if (field.endsWith('max_autonomous_value')) {
    return { kind: 'limit', name: 'amount', ...factsOf(declared.context) }
  }
  if (field.endsWith('conflicts_with')) {
    const named = (declared.card.values.conflicts_with ?? []).filter((one) => mentions(text, one))
    return only(named, (name) => ({ kind: 'value', name: actionName(name) }))
  }
  const key = concern.relevant_conscience_value
  return concern.category === 'value_misalignment' && key !== null
    ? { kind: 'conscience_value', name: key }
    : null
}

function forbiddenSubject(text: string, { card, actions }: Declared): ConcernSubject | null {
  const { forbidden_actions: forbidden = [] } = card.autonomy_envelope
  const taken = actions.filter((action) => isListed(action, forbidden))
  if (taken.length > 0) return only(taken, (name) => ({ kind: 'declared_action', name }))
  const named = forbidden.filter((entry) => mentions(text, entry))
  return only(named, (entry) => ({ kind: 'mentioned_action', name: actionName(entry) }))
}

function unboundedSubject(text: string, { card, actions }: Declared): ConcernSubject | null {
  const { bounded_actions: bounded, forbidden_actions: forbidden = [] } = card.autonomy_envelope
  const outside = actions.filter((one) => !isListed(one, bounded) && !isListed(one, forbidden))
  const named = outside.filter((one) => mentions(text, one))
  const found = named.length > 0 ? named : outside
  return only(found, (name) => ({ kind: 'declared_action', name }))
}

function triggerSubject({ card, context }: Declared): ConcernSubject | null {
  const fired = (card.autonomy_envelope.escalation_triggers ?? []).filter(
    ({ action, condition }) =>
      action !== 'log' && judgeCondition(condition, { context: { metadata: context } }) === 'fired',
  )
  const conditions = fired.map(({ condition }) => condition)
  return only(conditions, (name) => ({ kind: 'trigger', name, ...factsOf(context) }))
}

function only(
  names: readonly string[],
  toSubject: (name: string) => ConcernSubject,
): ConcernSubject | null {
  const [name, ...others] = new Set(names)
  return name === undefined || others.length > 0 ? null : toSubject(name)
}
