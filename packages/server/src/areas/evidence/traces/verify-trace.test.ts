import { judgeCondition } from '@touchstone/protocol/cards'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Trace } from './trace.ts'
import { similarityScore, type TraceCard, verifyTrace } from './verify-trace.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

const CARD: TraceCard = {
  values: { declared: ['transparency', 'honesty', 'privacy'] },
  autonomy_envelope: {
    bounded_actions: ['search', 'compare', 'refund: up to the paid price'],
    forbidden_actions: ['delete_rows'],
    escalation_triggers: [
      { condition: 'amount > 100', action: 'escalate', reason: 'dear' },
      { condition: 'pii', action: 'deny', reason: 'private' },
      { condition: 'noted', action: 'log', reason: 'curious' },
    ],
    max_autonomous_value: { amount: 500 },
  },
}

const TRACE: Trace = {
  trace_id: 'tr-1',
  agent_id: 'agent-demo',
  card_id: 'ac-1',
  timestamp: '2026-03-01T00:00:00.000Z',
  action: { type: 'recommend', name: 'search', category: 'bounded' },
  decision: {
    selected: 'a',
    selection_reasoning: 'It fits.',
    values_applied: ['transparency', 'honesty'],
  },
  escalation: { evaluated: true, required: false, reason: 'nothing due' },
}

const verify = (
  changes: Partial<Trace> = {},
  rest: { card?: TraceCard; cardNamed?: boolean } = {},
) =>
  verifyTrace({
    trace: { ...TRACE, ...changes },
    card: CARD,
    cardId: 'ac-1',
    cardNamed: true,
    now: NOW,
    judge: judgeCondition,
    ...rest,
  })
const action = (changes: Partial<Trace['action']>) => ({ action: { ...TRACE.action, ...changes } })
const decision = (changes: Partial<Trace['decision']>) => ({
  decision: { ...TRACE.decision, ...changes },
})
const facts = (metadata: object) => ({ context: { metadata } })
const required = { evaluated: true, required: true, reason: 'due' }

describe('a trace that complies with its card', () => {
  it('is verified, with the similarity of the example', () => {
    expect(verify()).toEqual({
      verified: true,
      violations: [],
      violation_details: [],
      warnings: [],
      similarity_score: 0.8944,
      recommended_action: 'proceed',
      card_id: 'ac-1',
      verified_at: '2026-03-01T12:00:00.000Z',
      algorithm_version: '1.3.0',
    })
  })
})

describe('violations', () => {
  it.each<[string, string[], Partial<Trace>]>([
    ['a name out of bounds', ['UNBOUNDED_ACTION'], action({ name: 'purchase' })],
    ['one of two names out of bounds', ['UNBOUNDED_ACTION'], action({ name: 'search, buy' })],
    ['an entry explained after a colon', [], action({ name: 'refund' })],
    ['a name that only begins like an entry', ['UNBOUNDED_ACTION'], action({ name: 'ref' })],
    ['two bounded names', [], action({ name: 'search, compare' })],
    [
      'a name out of bounds outside the bounded category',
      [],
      action({ name: 'purchase', category: 'escalation_trigger' }),
    ],
    [
      'a forbidden name, whatever its category',
      ['FORBIDDEN_ACTION'],
      action({ name: 'delete_rows', category: 'escalation_trigger' }),
    ],
    ['a forbidden category', ['FORBIDDEN_ACTION'], action({ category: 'forbidden' })],
    [
      'a forbidden name called bounded',
      ['UNBOUNDED_ACTION', 'FORBIDDEN_ACTION'],
      action({ name: 'delete_rows' }),
    ],
    ['an escalate trigger', ['MISSED_ESCALATION'], facts({ amount: 150 })],
    ['a deny trigger', ['MISSED_ESCALATION'], facts({ pii: true })],
    ['a log trigger', [], facts({ noted: true })],
    ['a trigger that was answered', [], { ...facts({ amount: 150 }), escalation: required }],
    [
      'an amount over the limit, also as text',
      ['MISSED_ESCALATION'],
      action({ parameters: { amount: '501' } }),
    ],
    [
      'an amount over every limit, for trigger and limit alike',
      ['MISSED_ESCALATION'],
      { ...action({ parameters: { amount: '1e999' } }), ...facts({ amount: '1e999' }) },
    ],
    ['an undeclared value', ['UNDECLARED_VALUE'], decision({ values_applied: ['speed'] })],
  ])('%s: %j', (_, violations, changes) => {
    const result = verify(changes)
    expect(result.violations).toEqual(violations)
    expect(result.verified).toBe(violations.length === 0)
    expect(result.recommended_action).toBe(violations.length === 0 ? 'proceed' : 'deny')
  })

  it('come in the documented order with their severities, each kind listed once', () => {
    const result = verify(
      {
        timestamp: '2026-03-02T00:00:00.000Z',
        ...action({ name: 'delete_rows', parameters: { amount: 900 } }),
        ...decision({ values_applied: ['speed', 'greed', 'speed'] }),
        ...facts({ amount: 150, pii: true }),
      },
      { card: { ...CARD, expires_at: '2026-03-01T00:00:00.000Z' }, cardNamed: false },
    )
    expect(result.violation_details.map(({ type, severity }) => `${type} ${severity}`)).toEqual([
      'CARD_MISMATCH critical',
      'CARD_EXPIRED high',
      'UNBOUNDED_ACTION high',
      'FORBIDDEN_ACTION critical',
      'MISSED_ESCALATION high',
      'MISSED_ESCALATION high',
      'MISSED_ESCALATION high',
      'UNDECLARED_VALUE medium',
      'UNDECLARED_VALUE medium',
    ])
    expect(result.violations).toEqual([
      'CARD_MISMATCH',
      'CARD_EXPIRED',
      'UNBOUNDED_ACTION',
      'FORBIDDEN_ACTION',
      'MISSED_ESCALATION',
      'UNDECLARED_VALUE',
    ])
  })

  it('do not include a card that expires at that instant', () => {
    const card = { ...CARD, expires_at: TRACE.timestamp }
    expect(verify({}, { card }).verified).toBe(true)
  })

  it('reads action_type as the type or the name', () => {
    const trigger = { condition: 'action_type == "search"', action: 'escalate', reason: 'r' }
    const card = {
      ...CARD,
      autonomy_envelope: { ...CARD.autonomy_envelope, escalation_triggers: [trigger] },
    }
    expect(verify({}, { card }).violations).toEqual(['MISSED_ESCALATION'])
  })
})

describe('warnings', () => {
  const option = (option_id: string, score: number) => ({ option_id, description: 'd', score })
  it.each<[string, string[], Partial<Trace>]>([
    [
      'a required escalation that timed out',
      ['escalation_timeout'],
      { ...facts({ pii: true }), escalation: { ...required, escalation_status: 'timeout' } },
    ],
    [
      'a timeout nothing had called for',
      [],
      { escalation: { ...required, escalation_status: 'timeout' } },
    ],
    ['little confidence', ['near_boundary'], decision({ confidence: 0.34 })],
    ['just enough confidence', [], decision({ confidence: 0.35 })],
    [
      'a weak alternative',
      ['near_boundary'],
      decision({ alternatives_considered: [option('a', 0.9), option('b', 0.1)] }),
    ],
    [
      'a choice that was no option',
      ['unknown_selection'],
      decision({ alternatives_considered: [option('b', 0.9)] }),
    ],
    ['no options given', [], decision({ alternatives_considered: [] })],
  ])('%s: %j', (_, types, changes) => {
    const result = verify(changes)
    expect(result.warnings.map((warning) => warning.type)).toEqual(types)
    expect(result.recommended_action).toBe(types.length === 0 ? 'proceed' : 'review')
    expect(result.verified).toBe(true)
  })

  it('lists a condition that cannot be evaluated, once per trigger', () => {
    const trigger = { condition: 'when unsure', action: 'log', reason: 'r' }
    const card = {
      ...CARD,
      autonomy_envelope: { ...CARD.autonomy_envelope, escalation_triggers: [trigger, trigger] },
    }
    const types = verify({}, { card }).warnings.map((warning) => warning.type)
    expect(types).toEqual(['unevaluable_condition', 'unevaluable_condition'])
  })

  it('warns of low similarity to the card, unless there is a violation anyway', () => {
    const card = {
      ...CARD,
      values: { declared: ['transparency', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] },
    }
    const { escalation: _, ...silent } = {
      ...TRACE,
      ...decision({ values_applied: ['transparency'] }),
    }
    const run = (trace: Omit<Trace, 'escalation'>) =>
      verifyTrace({
        trace,
        card,
        cardId: 'ac-1',
        cardNamed: true,
        now: NOW,
        judge: judgeCondition,
      })
    expect(run(silent)).toMatchObject({
      similarity_score: 0.4472,
      recommended_action: 'review',
      warnings: [{ type: 'low_behavioral_similarity' }],
    })
    expect(run({ ...silent, ...action({ category: 'forbidden' }) }).warnings).toEqual([])
  })
})

describe('similarityScore', () => {
  it('is 0 if the card declares nothing', () => {
    const bare = { values: { declared: [] }, autonomy_envelope: { bounded_actions: [] } }
    expect(similarityScore(TRACE, bare)).toBe(0)
  })

  it('is between 0 and 1', () => {
    const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 6 })
    fc.assert(
      fc.property(ids, ids, ids, fc.boolean(), (declared, applied, names, evaluated) => {
        const trace = {
          ...TRACE,
          ...action({ name: names.join(', ') }),
          ...decision({ values_applied: applied }),
          escalation: { evaluated, required: false, reason: '' },
        }
        const card = { ...CARD, values: { declared } }
        const score = similarityScore(trace, card)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }),
    )
  })
})
