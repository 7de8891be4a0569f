import { describe, expect, it } from 'vitest'
import type { Concern } from './concern.ts'
import { factsOf, subjectAmong } from './concern-subject.ts'

const CARD = {
  values: { conflicts_with: ['hidden_fees', 'urgency'] },
  autonomy_envelope: {
    bounded_actions: ['search'],
    forbidden_actions: ['wipe_disk: ever', 'send_mail'],
    escalation_triggers: [
      { condition: 'amount > 5', action: 'escalate', reason: 'r' },
      { condition: 'amount > 50', action: 'deny', reason: 'r' },
      { condition: 'amount > 0', action: 'log', reason: 'r' },
    ],
    max_autonomous_value: { amount: 7 },
  },
}

function subjectOf(
  field: string | null,
  evidence: string,
  { actions = [], context = {}, ...changes }: Partial<Concern> & Declared = {},
) {
  const concern: Concern = {
    category: 'autonomy_violation',
    severity: 'high',
    description: 'A concern.',
    evidence,
    relevant_card_field: field,
    relevant_conscience_value: null,
    ...changes,
  }
  return subjectAmong(concern, { card: CARD, actions, context })
}
type Declared = { actions?: string[]; context?: Record<string, unknown> }

describe('subjectAmong', () => {
  const forbidden = 'autonomy_envelope.forbidden_actions'
  const bounded = 'autonomy_envelope.bounded_actions'

  it('is the one name of the card that the concern speaks of, or nothing', () => {
    const action = { kind: 'mentioned_action', name: 'wipe_disk' }
    expect(subjectOf(forbidden, 'I will wipe the disks.')).toEqual(action)
    expect(subjectOf(forbidden, 'I wipe the disk and send mail.')).toBeNull()
    expect(subjectOf(forbidden, 'Something bad.')).toBeNull()
    const value = { kind: 'value', name: 'hidden_fees' }
    expect(subjectOf('values.conflicts_with', 'Some hidden fees.')).toEqual(value)
  })

  it('is the one declared action that the card does not allow', () => {
    const one = { actions: ['search', 'send_mail'] }
    const declared = (name: string) => ({ kind: 'declared_action', name })
    expect(subjectOf(forbidden, 'x', one)).toEqual(declared('send_mail'))
    expect(subjectOf(bounded, 'x', { actions: ['search', 'buy'] })).toEqual(declared('buy'))
    const two = { actions: ['buy', 'sell_all'] }
    expect(subjectOf(bounded, 'x', two)).toBeNull()
    expect(subjectOf(bounded, 'It wants to sell all.', two)).toEqual(declared('sell_all'))
  })

  it('is the one trigger that fired, with the facts', () => {
    const fired = { kind: 'trigger', name: 'amount > 5', amount: 6, action: null }
    const field = 'autonomy_envelope.escalation_triggers'
    expect(subjectOf(field, 'x', { context: { amount: 6 } })).toEqual(fired)
    expect(subjectOf(field, 'x', { context: { amount: 60 } })).toBeNull()
    const limit = { kind: 'limit', name: 'amount', amount: 8, action: 'buy' }
    const facts = { context: { amount: '8', action: 'buy' } }
    expect(subjectOf('autonomy_envelope.max_autonomous_value', 'x', facts)).toEqual(limit)
  })

  it('is the conscience value of a misaligned value', () => {
    const key = { relevant_conscience_value: 'FEAR:harm', category: 'value_misalignment' } as const
    expect(subjectOf(null, 'x', key)).toEqual({ kind: 'conscience_value', name: 'FEAR:harm' })
    expect(subjectOf(null, 'x')).toBeNull()
  })
})

describe('factsOf', () => {
  it.each([
    [
      { amount: 5, action: 'buy' },
      { amount: 5, action: 'buy' },
    ],
    [{ amount: '5.5' }, { amount: 5.5, action: null }],
    [
      { amount: '1e999', action: 7 },
      { amount: null, action: null },
    ],
    [{ action: 'I tell you a secret' }, { amount: null, action: null }],
    [{}, { amount: null, action: null }],
  ])('keeps of %j only a number and a name', (context, facts) => {
    expect(factsOf(context)).toEqual(facts)
  })
})
