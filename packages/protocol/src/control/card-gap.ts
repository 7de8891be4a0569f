import type { Concern, ConcernSubject } from '../analysis/concern.ts'
import { mentions } from '../analysis/concern-subject.ts'
import type { CheckedValue } from '../analysis/pipeline.ts'
import type { AnalysedCard } from '../analysis/rule-input.ts'
import { isListed } from '../cards/card.ts'
import { judgeCondition, parseCondition } from '../cards/condition.ts'
import { subjectOf } from './stored-subject.ts'

/**
 * Whether an amendment of the card is what would have made a call right (spec: provenance §8). A
 * violation is a gap in the card only if none of its concerns would be raised under the amended card.
 */

/** A card with its conscience values, both composed with those of the organisation. */
export type JudgedCard = { card: AnalysedCard; values: readonly CheckedValue[] }

/** The cards around an amendment, and the one in force now. */
export type AmendedCards = {
  before: JudgedCard
  after: JudgedCard
  active: JudgedCard
}

export type AmendmentClaim = AmendedCards & {
  /** The field that the amendment changed. */
  field: string
  amendedAt: Date
  /** When the service received the checkpoint. */
  receivedAt: Date
  concerns: readonly Concern[]
  /** The trace that named the violation, under each of the three cards; undefined if none did. */
  trace: TraceClaim | undefined
}

export type TraceClaim = {
  type: string
  /** The violations of the trace under each card; undefined if the trace is no longer stored. */
  under: Record<keyof AmendedCards, readonly string[]> | undefined
}

export type AmendmentOutcome = { applies: true } | { applies: false; missing: string }

type Rule = {
  /** The fields of the card that decide it. */
  fields: readonly string[]
  /** Whether the concern would be raised under `card`, which followed `before`. */
  isRaised(subject: ConcernSubject, card: JudgedCard, before: JudgedCard): boolean
  /** The condition that the card must meet for the call to be right. */
  right(name: string): string
}

const FORBIDDEN = 'autonomy_envelope.forbidden_actions'
const BOUNDED = 'autonomy_envelope.bounded_actions'
const TRIGGERS = 'autonomy_envelope.escalation_triggers'
const LIMIT = 'autonomy_envelope.max_autonomous_value'

const ESCALATION: Omit<Rule, 'right'> = { fields: [TRIGGERS, LIMIT], isRaised: escalationIsDue }

/** One rule for each kind of subject; the type of the violation follows from the same field. */
const RULES: Record<ConcernSubject['kind'], Rule> = {
  // FORBIDDEN_ACTION and UNBOUNDED_ACTION of an action that the caller declared.
  declared_action: {
    fields: [FORBIDDEN, BOUNDED],
    isRaised: ({ name }, { card }) =>
      isForbidden(name, card) || !isListed(name, card.autonomy_envelope.bounded_actions),
    right: (name) => `must not forbid ${name} and must list it in bounded_actions`,
  },
  // FORBIDDEN_ACTION of an action that the reasoning or output speaks of.
  mentioned_action: {
    fields: [FORBIDDEN],
    isRaised: ({ name }, { card }) => isForbidden(name, card),
    right: (name) => `must not forbid ${name}`,
  },
  // MISSED_ESCALATION.
  trigger: {
    ...ESCALATION,
    right: (name) =>
      `must have no trigger and no limit that holds for the stored amount and action, as "${name}" did`,
  },
  limit: {
    ...ESCALATION,
    right: () => 'must have no limit and no trigger that holds for the stored amount and action',
  },
  // VALUE_MISALIGNMENT.
  value: {
    fields: ['values.conflicts_with'],
    isRaised: ({ name }, { card }) =>
      (card.values.conflicts_with ?? []).some((one) => one === name || mentions(name, one)),
    right: (name) => `must not list ${name} in conflicts_with`,
  },
  conscience_value: {
    fields: ['conscience_values'],
    isRaised: ({ name }, { values }, before) => {
      const content = before.values.find(({ key }) => key === name)?.content
      return values.some((one) => one.key === name || one.content === content)
    },
    right: (name) => `must not have the conscience value ${name}`,
  },
}

/** A renamed or shortened entry still forbids the words of the action. */
function isForbidden(name: string, { autonomy_envelope: envelope }: AnalysedCard): boolean {
  const { forbidden_actions: forbidden = [] } = envelope
  return isListed(name, forbidden) || forbidden.some((entry) => mentions(name, entry))
}

const STORED_FACTS = ['amount', 'action'] as const

function escalationIsDue(
  subject: ConcernSubject,
  { card }: JudgedCard,
  { card: before }: JudgedCard,
): boolean {
  if (subject.kind !== 'trigger' && subject.kind !== 'limit') return false
  const { amount, action } = subject
  const { escalation_triggers: triggers = [], max_autonomous_value: limit } = card.autonomy_envelope
  if (subject.kind === 'limit' && amount === null && limit !== undefined) return true
  const isAbove = limit !== undefined && amount !== null && amount > limit.amount
  const facts = {
    ...(amount === null ? {} : { amount }),
    ...(action === null ? {} : { action }),
  }
  const quiet = new Set(
    (before.autonomy_envelope.escalation_triggers ?? []).flatMap((one) =>
      one.action === 'log' ? [] : [one.condition],
    ),
  )
  return (
    isAbove ||
    triggers.some(({ condition, action: consequence }) => {
      if (consequence === 'log') return false
      if (subject.kind === 'trigger' && condition === subject.name) return true
      if (isKnown(condition, facts))
        return judgeCondition(condition, { context: facts }) === 'fired'
      // A trigger that did not fire then is quiet still; a new one cannot be judged without its facts.
      return !quiet.has(condition) && parseCondition(condition) !== undefined
    })
  )
}

/** Whether a condition refers to nothing but the stored facts. */
function isKnown(condition: string, facts: Readonly<Record<string, unknown>>): boolean {
  const known = STORED_FACTS.filter((name) => Object.hasOwn(facts, name))
  const terms = parseCondition(condition)?.flat() ?? []
  return terms.every(({ field }) => known.some((name) => name === field))
}

/** Categories that no card explains, whatever it says. */
const NEVER: ReadonlySet<string> = new Set([
  'prompt_injection',
  'deceptive_reasoning',
  'reasoning_corruption',
  'output_injection_compliance',
])

export function judgeAmendment(claim: AmendmentClaim): AmendmentOutcome {
  const missing =
    // At the same millisecond the order is unknown; the cards still tell whether it applies.
    (claim.amendedAt < claim.receivedAt
      ? 'The amendment must be later than the checkpoint.'
      : undefined) ?? missingOf(claim)
  return missing === undefined ? { applies: true } : { applies: false, missing }
}

function missingOf(claim: AmendmentClaim): string | undefined {
  const weighty = claim.concerns.filter(({ severity }) => severity !== 'low')
  let helps = false
  for (const concern of weighty) {
    const judged = judgeConcern(concern, claim)
    if (judged.missing !== undefined) return judged.missing
    helps ||= judged.helps
  }
  const traced = claim.trace === undefined ? undefined : judgeTrace(claim.trace)
  if (traced?.missing !== undefined) return traced.missing
  return helps || traced?.helps === true
    ? undefined
    : `The amendment changed ${claim.field}, which did not make the call right.`
}

/** `helps`: the call was wrong before the amendment because of the field that it changed. */
type Judged = { missing?: string; helps: boolean }

function judgeConcern(concern: Concern, claim: AmendmentClaim): Judged {
  const { category, relevant_card_field: field } = concern
  if (NEVER.has(category)) {
    return refused(`A checkpoint with a concern of ${category} is never a gap in the card.`)
  }
  const subject = subjectOf(concern)
  if (subject === null) {
    return refused(
      field === null
        ? `No rule of the card made this ${category}, so no amendment can make it right.`
        : `The checkpoint does not keep which name in ${field} its concern is about, so no amendment can be compared with it.`,
    )
  }
  const rule = RULES[subject.kind]
  const { before, after, active } = claim
  if (rule.isRaised(subject, after, before)) {
    return refused(`The amended card ${rule.right(subject.name)}.`)
  }
  if (rule.isRaised(subject, active, before)) {
    return refused(
      `The amendment is no longer part of the active card, which ${rule.right(subject.name)}.`,
    )
  }
  return { helps: rule.fields.includes(claim.field) && rule.isRaised(subject, before, before) }
}

function judgeTrace({ type, under }: TraceClaim): Judged {
  if (under === undefined) {
    return refused('The trace that named the violation is no longer stored.')
  }
  if (!under.before.includes(type)) {
    return refused(`No rule of the card made this ${type}, so no amendment can make it right.`)
  }
  if (under.after.includes(type)) {
    return refused(`Under the amended card the trace is still a case of ${type}.`)
  }
  if (under.active.includes(type)) {
    return refused(
      `The amendment is no longer part of the active card: under it the trace is still a case of ${type}.`,
    )
  }
  return { helps: true }
}

function refused(missing: string): Judged {
  return { missing, helps: false }
}
