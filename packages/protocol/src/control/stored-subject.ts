import { type Concern, type ConcernSubject, EVIDENCE_CHARACTERS_MAX } from '../analysis/concern.ts'

/**
 * The name that a concern is about. Checkpoints that were stored without it have it only where their
 * rule wrote it down in one fixed place and in full; anything else would be a guess.
 */
export function subjectOf(concern: Concern): ConcernSubject | null {
  return concern.subject === undefined ? derive(concern) : concern.subject
}

const QUOTED_NAME =
  /^R(?:2|6|9): (?:words of a forbidden action|intent towards a value the card conflicts with), "(.+)", in the (?:reasoning|output)$/
const AMOUNT = /^amount (\S+) above \S+$/

function derive(concern: Concern): ConcernSubject | null {
  const { description, evidence, relevant_conscience_value: key } = concern
  const quoted = QUOTED_NAME.exec(description)?.[1]
  if (quoted !== undefined) {
    const name = quoted.split(':')[0] ?? quoted
    const isAction = concern.relevant_card_field?.endsWith('forbidden_actions') === true
    return { kind: isAction ? 'mentioned_action' : 'value', name }
  }
  if (description.startsWith('R10: ') && key !== null)
    return { kind: 'conscience_value', name: key }
  // Evidence of the full length may have been cut.
  if (evidence.length >= EVIDENCE_CHARACTERS_MAX) return null
  if (description.startsWith('R3: ')) return { kind: 'declared_action', name: evidence }
  if (!description.startsWith('R4: ')) return null
  if (concern.relevant_card_field?.endsWith('escalation_triggers') === true) {
    return { kind: 'trigger', name: evidence, amount: null, action: null }
  }
  const amount = Number(AMOUNT.exec(evidence)?.[1] ?? Number.NaN)
  if (!Number.isFinite(amount)) return null
  return { kind: 'limit', name: 'amount', amount, action: null }
}
