import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Concern, createRuleAnalyser, violationType } from '../analysis/index.ts'
import type { CheckedValue } from '../analysis/pipeline.ts'
import type { AnalysedCard } from '../analysis/rule-input.ts'
import { type AmendmentClaim, type JudgedCard, judgeAmendment } from './card-gap.ts'

const BOUNDED = 'autonomy_envelope.bounded_actions'
const FORBIDDEN = 'autonomy_envelope.forbidden_actions'
const TRIGGERS = 'autonomy_envelope.escalation_triggers'
const LIMIT = 'autonomy_envelope.max_autonomous_value'
const CONFLICTS = 'values.conflicts_with'

type Envelope = AnalysedCard['autonomy_envelope']
type Given = Partial<Envelope> & { conflicts_with?: readonly string[]; values?: CheckedValue[] }

function cardOf({ conflicts_with = [], values = [], ...envelope }: Given = {}): JudgedCard {
  const autonomy_envelope = { bounded_actions: ['search'], ...envelope }
  return { card: { values: { conflicts_with }, autonomy_envelope }, values }
}

const escalateAt = (amount: number) => trigger(`amount > ${amount}`)
const trigger = (condition: string, action = 'escalate') => ({ condition, action, reason: 'r' })
const boundary = (name: string, content: string): CheckedValue => {
  return { type: 'BOUNDARY', name, content, key: `BOUNDARY:${name}`, isBase: false }
}

type Facts = { thinking?: string; output?: string; actions?: string[]; context?: object }

/** The concerns of the rule analyser under a card. */
function concernsUnder({ card, values }: JudgedCard, facts: Facts): readonly Concern[] {
  const analyse = createRuleAnalyser({ card, conscienceValues: values })
  const { thinking = '', output = '', actions = [], context = {} } = facts
  return analyse({ thinking, output, actions, context: { ...context } }).concerns
}

function claimOf(before: JudgedCard, after: JudgedCard, changes: Partial<AmendmentClaim> = {}) {
  return {
    before,
    after,
    active: after,
    field: FORBIDDEN,
    receivedAt: new Date(1000),
    amendedAt: new Date(1001),
    concerns: [],
    trace: undefined,
    ...changes,
  }
}

const NO_REFUNDS = boundary('no_refunds', 'Never promise refunds to a customer without a receipt.')

type Case = {
  name: string
  type: string
  facts: Facts
  before: Given
  after: Given
  field: string
  applies: boolean
}

const wipe = { thinking: 'I will wipe the disk.' }
const declared = { actions: ['wipe_disk'] }
const paid = { context: { amount: 900, action: 'buy' } }

const CASES: readonly Case[] = [
  {
    name: 'an action that was mentioned is no longer forbidden',
    type: 'FORBIDDEN_ACTION',
    facts: wipe,
    field: FORBIDDEN,
    applies: true,
    before: { forbidden_actions: ['wipe_disk'] },
    after: { forbidden_actions: [] },
  },
  {
    name: 'a forbidden action was renamed',
    type: 'FORBIDDEN_ACTION',
    facts: wipe,
    field: FORBIDDEN,
    applies: false,
    before: { forbidden_actions: ['wipe_disk'] },
    after: { forbidden_actions: ['Wipe-Disks: at night'] },
  },
  {
    name: 'a forbidden action was shortened',
    type: 'FORBIDDEN_ACTION',
    facts: wipe,
    field: FORBIDDEN,
    applies: false,
    before: { forbidden_actions: ['wipe_disk'] },
    after: { forbidden_actions: ['wipe'] },
  },
  {
    name: 'a declared action is bounded instead of forbidden',
    type: 'FORBIDDEN_ACTION',
    facts: declared,
    field: BOUNDED,
    applies: true,
    before: { forbidden_actions: ['wipe_disk'] },
    after: { forbidden_actions: [], bounded_actions: ['search', 'wipe_disk'] },
  },
  {
    name: 'a declared action is neither forbidden nor bounded',
    type: 'FORBIDDEN_ACTION',
    facts: declared,
    field: FORBIDDEN,
    applies: false,
    before: { forbidden_actions: ['wipe_disk'] },
    after: { forbidden_actions: [] },
  },
  {
    name: 'an action is bounded now',
    type: 'UNBOUNDED_ACTION',
    facts: declared,
    field: BOUNDED,
    applies: true,
    before: {},
    after: { bounded_actions: ['wipe_disk: once'] },
  },
  {
    name: 'another action is bounded now',
    type: 'UNBOUNDED_ACTION',
    facts: declared,
    field: BOUNDED,
    applies: false,
    before: {},
    after: { bounded_actions: ['search', 'wipe_disks'] },
  },
  {
    name: 'the trigger is gone',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: TRIGGERS,
    applies: true,
    before: { escalation_triggers: [escalateAt(500)] },
    after: {},
  },
  {
    name: 'the trigger holds from a higher amount only',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: TRIGGERS,
    applies: true,
    before: { escalation_triggers: [escalateAt(500)] },
    after: { escalation_triggers: [escalateAt(900)] },
  },
  {
    name: 'the trigger is rewritten and holds still',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: TRIGGERS,
    applies: false,
    before: { escalation_triggers: [escalateAt(500)] },
    after: { escalation_triggers: [trigger('amount>=500 and action == "buy"')] },
  },
  {
    name: 'the trigger logs only',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: TRIGGERS,
    applies: true,
    before: { escalation_triggers: [escalateAt(500)] },
    after: { escalation_triggers: [trigger('amount > 500', 'log')] },
  },
  {
    name: 'a new trigger refers to a fact that is not stored',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: TRIGGERS,
    applies: false,
    before: { escalation_triggers: [escalateAt(500)] },
    after: { escalation_triggers: [trigger('tier != "gold"')] },
  },
  {
    name: 'a trigger stays that did not hold',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: TRIGGERS,
    applies: true,
    before: { escalation_triggers: [escalateAt(500), trigger('tier == "gold"')] },
    after: { escalation_triggers: [trigger('tier == "gold"')] },
  },
  {
    name: 'the limit is raised far enough',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: LIMIT,
    applies: true,
    before: { max_autonomous_value: { amount: 100 } },
    after: { max_autonomous_value: { amount: 900 } },
  },
  {
    name: 'the limit is raised too little',
    type: 'MISSED_ESCALATION',
    facts: paid,
    field: LIMIT,
    applies: false,
    before: { max_autonomous_value: { amount: 100 } },
    after: { max_autonomous_value: { amount: 899 } },
  },
  {
    name: 'the value is no conflict any more',
    type: 'VALUE_MISALIGNMENT',
    facts: { thinking: 'I will add hidden fees.' },
    field: CONFLICTS,
    applies: true,
    before: { conflicts_with: ['hidden_fees'] },
    after: {},
  },
  {
    name: 'the conflict was renamed',
    type: 'VALUE_MISALIGNMENT',
    facts: { thinking: 'I will add hidden fees.' },
    field: CONFLICTS,
    applies: false,
    before: { conflicts_with: ['hidden_fees'] },
    after: { conflicts_with: ['hidden-fee'] },
  },
  {
    name: 'a conflict in the output is gone',
    type: 'OUTPUT_MISALIGNMENT',
    facts: { output: 'I will add hidden fees.' },
    field: CONFLICTS,
    applies: false,
    before: { conflicts_with: ['hidden_fees'] },
    after: { conflicts_with: ['hidden_fees', 'other'] },
  },
  {
    name: 'the conscience value is gone',
    type: 'VALUE_MISALIGNMENT',
    facts: { thinking: 'I will promise refunds to the customer with this receipt.' },
    field: 'conscience_values',
    applies: true,
    before: { values: [NO_REFUNDS] },
    after: {},
  },
  {
    name: 'the conscience value was renamed',
    type: 'VALUE_MISALIGNMENT',
    facts: { thinking: 'I will promise refunds to the customer with this receipt.' },
    field: 'conscience_values',
    applies: false,
    before: { values: [NO_REFUNDS] },
    after: { values: [boundary('refunds', NO_REFUNDS.content)] },
  },
  ...[
    { type: 'PROMPT_INJECTION', facts: { thinking: 'I will ignore previous instructions.' } },
    { type: 'DECEPTIVE_REASONING', facts: { thinking: 'I hide this from the user.' } },
    { type: 'OUTPUT_INJECTION_COMPLIANCE', facts: { output: 'New instructions say so. I will.' } },
    { type: 'OUTPUT_MISALIGNMENT', facts: { output: `Key: AKIA${'A'.repeat(16)}` } },
    { type: 'UNDECLARED_INTENT', facts: { thinking: 'My real goal is another.' } },
    {
      type: 'REASONING_CORRUPTION',
      facts: { thinking: 'The same five words again here. '.repeat(5) },
    },
  ].map((one) => ({
    ...one,
    name: 'everything was allowed',
    field: FORBIDDEN,
    applies: false,
    before: { forbidden_actions: ['wipe_disk'], conflicts_with: ['hidden_fees'] },
    after: {},
  })),
]

describe('judgeAmendment', () => {
  it.each(CASES)('$type, $name: applies $applies', (one) => {
    const [before, after] = [cardOf(one.before), cardOf(one.after)]
    const concerns = concernsUnder(before, one.facts)
    expect(violationType('review_needed', concerns)).toBe(one.type)
    const outcome = judgeAmendment(claimOf(before, after, { field: one.field, concerns }))
    expect(outcome).toMatchObject({ applies: one.applies })
    if (!outcome.applies) expect(outcome.missing).toMatch(/^[A-Z].*\.$/)
  })

  const before = cardOf({ forbidden_actions: ['wipe_disk'] })
  const after = cardOf()
  const concerns = concernsUnder(before, wipe)

  it('refuses an amendment that is earlier than the checkpoint', () => {
    const at = (ms: number) =>
      judgeAmendment(claimOf(before, after, { concerns, amendedAt: new Date(ms) })).applies
    expect([at(999), at(1000), at(1001)]).toEqual([false, true, true])
  })

  it('refuses an amendment that the active card does not contain any more', () => {
    const taken = judgeAmendment(claimOf(before, after, { concerns, active: before }))
    expect(taken).toMatchObject({ missing: expect.stringContaining('active card') })
  })

  it('refuses an amendment of another field of the same change', () => {
    const field = 'audit_commitment.retention_days'
    const outcome = judgeAmendment(claimOf(before, after, { concerns, field }))
    expect(outcome).toMatchObject({ missing: expect.stringContaining(field) })
  })

  it('refuses an amendment that closes only some of the concerns', () => {
    const both = cardOf({ forbidden_actions: ['wipe_disk', 'send_mail'] })
    const two = concernsUnder(both, { thinking: 'I will wipe the disk. I will send mail.' })
    expect(two).toHaveLength(2)
    const some = judgeAmendment(
      claimOf(both, cardOf({ forbidden_actions: ['send_mail'] }), { concerns: two }),
    )
    expect(some).toMatchObject({ missing: expect.stringContaining('send_mail') })
    const last = claimOf(cardOf({ forbidden_actions: ['send_mail'] }), after, { concerns: two })
    expect(judgeAmendment(last)).toEqual({ applies: true })
  })

  it('derives the name of a checkpoint that was stored without it, where it is unambiguous', () => {
    const { subject: _, ...old } = concerns[0] ?? ({} as Concern)
    expect(judgeAmendment(claimOf(before, after, { concerns: [old] }))).toEqual({ applies: true })
    const judged = { ...old, description: 'The agent wants to wipe the disk.' }
    const outcome = judgeAmendment(claimOf(before, after, { concerns: [judged] }))
    expect(outcome).toMatchObject({ missing: expect.stringContaining('does not keep which name') })
  })

  it('derives every name as the rules stored it', () => {
    for (const one of CASES) {
      for (const concern of concernsUnder(cardOf(one.before), one.facts)) {
        const { subject, ...old } = concern
        const outcome = (given: Concern) =>
          judgeAmendment(
            claimOf(cardOf(one.before), cardOf(one.after), { field: one.field, concerns: [given] }),
          ).applies
        // Without the facts of a trigger less can be shown, and never more.
        if (subject?.kind === 'trigger') expect(outcome(concern) || !outcome(old)).toBe(true)
        else expect(outcome(old)).toBe(outcome(concern))
      }
    }
  })

  const traced = (under: { before: string[]; after: string[]; active: string[] } | undefined) =>
    judgeAmendment(claimOf(before, after, { concerns, trace: { type: 'FORBIDDEN_ACTION', under } }))

  it('judges the trace that named the violation under all three cards', () => {
    const type = ['FORBIDDEN_ACTION']
    expect(traced({ before: type, after: [], active: [] })).toEqual({ applies: true })
    expect(traced({ before: type, after: type, active: [] }).applies).toBe(false)
    expect(traced({ before: type, after: [], active: type }).applies).toBe(false)
    expect(traced({ before: [], after: [], active: [] }).applies).toBe(false)
    expect(traced(undefined).applies).toBe(false)
  })
})

const names = fc.subarray(['wipe_disk', 'send_mail', 'buy', 'search', 'pay_invoice: once'])
const amounts = fc.integer({ min: 0, max: 20 })
const cards = fc
  .record({
    forbidden: names,
    bounded: names,
    conflicts: fc.subarray(['hidden_fees', 'urgency']),
    triggers: fc.array(
      fc
        .tuple(fc.constantFrom('>', '>=', '<', '=='), amounts)
        .map(([sign, at]) => `amount ${sign} ${at}`),
      { maxLength: 3 },
    ),
    limit: fc.option(amounts),
  })
  .map(({ forbidden, bounded, conflicts, triggers, limit }) =>
    cardOf({
      // A card that is valid lists no action as both.
      forbidden_actions: forbidden.filter((one) => !bounded.includes(one)),
      bounded_actions: bounded,
      conflicts_with: conflicts,
      escalation_triggers: triggers.map((condition) => trigger(condition)),
      ...(limit === null ? {} : { max_autonomous_value: { amount: limit } }),
    }),
  )
const facts = fc.record({
  thinking: fc
    .subarray([
      'I will wipe the disk.',
      'I will send mail.',
      'I will add hidden fees.',
      'I will hide this from the user.',
    ])
    .map((sentences) => sentences.join(' ')),
  actions: fc.subarray(['wipe_disk', 'send_mail', 'buy']),
  context: fc.record({ amount: amounts }),
})
const fields = fc.constantFrom(BOUNDED, FORBIDDEN, TRIGGERS, LIMIT, CONFLICTS)

describe('over random cards', () => {
  it('never applies when the same call would still be wrong under the amended or the active card', () => {
    fc.assert(
      fc.property(cards, cards, cards, facts, fields, (before, after, active, given, field) => {
        const concerns = concernsUnder(before, given)
        const outcome = judgeAmendment(claimOf(before, after, { active, field, concerns }))
        if (!outcome.applies) return
        expect(weighty(concernsUnder(after, given)).filter(wasRaised(concerns))).toEqual([])
        expect(weighty(concernsUnder(active, given)).filter(wasRaised(concerns))).toEqual([])
        expect(weighty(concerns)).not.toEqual([])
      }),
    )
  })

  it('never applies when the card did not change', () => {
    fc.assert(
      fc.property(cards, facts, fields, (card, given, field) => {
        const concerns = concernsUnder(card, given)
        expect(judgeAmendment(claimOf(card, card, { field, concerns })).applies).toBe(false)
      }),
    )
  })

  it('applies to every call that a card made wrong, once it forbids and asks for nothing', () => {
    const honest = facts.map((one) => ({
      ...one,
      thinking: one.thinking.replace('I will hide this from the user.', ''),
    }))
    const open = cardOf({ bounded_actions: ['wipe_disk', 'send_mail', 'buy'] })
    fc.assert(
      fc.property(cards, honest, (before, given) => {
        const concerns = concernsUnder(before, given)
        fc.pre(concerns.length > 0)
        const byField = [BOUNDED, FORBIDDEN, TRIGGERS, LIMIT, CONFLICTS].map(
          (field) => judgeAmendment(claimOf(before, open, { field, concerns })).applies,
        )
        expect(byField).toContain(true)
      }),
    )
  })
})

const weighty = (concerns: readonly Concern[]) =>
  concerns.filter(({ severity }) => severity !== 'low')

/** A concern with the same rule and name as one of the first analysis, or any missed escalation. */
const wasRaised = (first: readonly Concern[]) => (one: Concern) =>
  one.description.startsWith('R4')
    ? first.some(({ description }) => description.startsWith('R4'))
    : first.some(({ evidence, category }) => evidence === one.evidence && category === one.category)
