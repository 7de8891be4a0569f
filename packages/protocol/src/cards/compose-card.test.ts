import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../base/canonical-json.ts'
import { type AlignmentCard, defaultCard } from './card.ts'
import { type CardTemplate, composeCard } from './compose-card.ts'

const CARD: AlignmentCard = {
  ...defaultCard('agent-1', new Date('2026-03-01T12:00:00.000Z')),
  card_id: 'ac-1',
  values: {
    declared: ['honesty', 'thrift'],
    conflicts_with: ['hidden_fees'],
    definitions: { thrift: { description: 'of the agent' } },
    hierarchy: 'weighted',
  },
  autonomy_envelope: {
    bounded_actions: ['search', 'refund'],
    forbidden_actions: ['share_data'],
    escalation_triggers: [{ condition: 'amount > 9', action: 'escalate', reason: 'agent' }],
    max_autonomous_value: { amount: 100, currency: 'EUR' },
  },
  audit_commitment: {
    trace_format: 'ap-trace-v1',
    retention_days: 90,
    queryable: false,
    tamper_evidence: 'signed',
  },
}

describe('a composed card', () => {
  it("has values and prohibitions of both, the organisation's first", () => {
    const composed = composeCard(
      {
        values: { declared: ['privacy', 'honesty'], conflicts_with: ['waste', 'hidden_fees'] },
        autonomy_envelope: { forbidden_actions: ['refund', 'share_data'] },
      },
      CARD,
    )
    expect(composed.values.declared).toEqual(['privacy', 'honesty', 'thrift'])
    expect(composed.values.conflicts_with).toEqual(['waste', 'hidden_fees'])
    expect(composed.autonomy_envelope.forbidden_actions).toEqual(['refund', 'share_data'])
  })

  it('uses definitions and hierarchy of the organisation if it sets them', () => {
    const definitions = { thrift: { description: 'of the org' }, care: { description: 'new' } }
    const set = composeCard({ values: { definitions, hierarchy: 'contextual' } }, CARD)
    expect(set.values).toMatchObject({ definitions, hierarchy: 'contextual' })
    const unset = composeCard({ values: { declared: ['privacy'] } }, CARD)
    expect(unset.values).toMatchObject({
      definitions: CARD.values.definitions,
      hierarchy: 'weighted',
    })
  })

  it('lists the triggers of the organisation first, then those of the agent', () => {
    const trigger = { condition: 'pii', action: 'deny', reason: 'org' } as const
    const composed = composeCard({ autonomy_envelope: { escalation_triggers: [trigger] } }, CARD)
    expect(composed.autonomy_envelope.escalation_triggers).toEqual([
      trigger,
      ...(CARD.autonomy_envelope.escalation_triggers ?? []),
    ])
  })

  it.each([
    [{ retention_days: 365, queryable: true, tamper_evidence: 'merkle' }, [365, true, 'merkle']],
    [
      { retention_days: 30, queryable: false, tamper_evidence: 'append_only' },
      [90, false, 'signed'],
    ],
    [{}, [90, false, 'signed']],
  ] as const)(
    'commits to the stronger of both audit commitments: %j',
    (audit_commitment, expected) => {
      const { audit_commitment: composed } = composeCard({ audit_commitment }, CARD)
      expect([composed.retention_days, composed.queryable, composed.tamper_evidence]).toEqual(
        expected,
      )
    },
  )

  it('is granted no actions by a template, and keeps its identity', () => {
    const template = {
      card_id: 'tmpl-1',
      agent_id: 'other',
      expires_at: '2030-01-01T00:00:00.000Z',
      principal: { type: 'human', relationship: 'advisory' },
      autonomy_envelope: {
        bounded_actions: ['wire_money'],
        max_autonomous_value: { amount: 1e6, currency: 'EUR' },
      },
      audit_commitment: { trace_format: 'other', query_endpoint: 'https://example.com' },
      extensions: { org: {} },
    } as const
    expect(composeCard(template, CARD)).toEqual(CARD)
  })
})

const ids = fc.uniqueArray(fc.constantFrom('honesty', 'privacy', 'thrift', 'care', 'waste'))
const actions = fc.uniqueArray(fc.constantFrom('search', 'refund', 'wire: all', 'share_data'))
const trigger = fc.record({
  condition: fc.constantFrom('amount > 1', 'pii'),
  action: fc.constantFrom('escalate' as const, 'deny' as const, 'log' as const),
  reason: fc.constant('because'),
})
const evidence = fc.constantFrom('append_only' as const, 'signed' as const, 'merkle' as const)
const optional = { requiredKeys: [] as never[] }
const templates: fc.Arbitrary<CardTemplate> = fc.record(
  {
    values: fc.record({ declared: ids, conflicts_with: ids }, optional),
    autonomy_envelope: fc.record(
      { forbidden_actions: actions, escalation_triggers: fc.array(trigger, { maxLength: 3 }) },
      optional,
    ),
    audit_commitment: fc.record(
      {
        retention_days: fc.integer({ min: 1, max: 3650 }),
        queryable: fc.boolean(),
        tamper_evidence: evidence,
      },
      optional,
    ),
  },
  optional,
)
const cards = fc
  .record({ declared: ids, bounded: actions, forbidden: actions, days: fc.nat(3650) })
  .map(
    ({ declared, bounded, forbidden, days }): AlignmentCard => ({
      ...CARD,
      values: { ...CARD.values, declared },
      autonomy_envelope: {
        ...CARD.autonomy_envelope,
        bounded_actions: bounded,
        forbidden_actions: forbidden,
      },
      audit_commitment: { ...CARD.audit_commitment, retention_days: days },
    }),
  )

describe('composition', () => {
  it('with an empty template leaves the card unchanged, byte for byte', () => {
    fc.assert(
      fc.property(cards, (card) => {
        expect(canonicalJson(composeCard({}, card))).toBe(canonicalJson(card))
      }),
    )
  })

  it('removes nothing that either side declares, forbids or promises', () => {
    fc.assert(
      fc.property(templates, cards, (template, card) => {
        const composed = composeCard(template, card)
        const { forbidden_actions: forbidden = [] } = composed.autonomy_envelope
        const sides = [template, card]
        for (const side of sides) {
          expect(composed.values.declared).toEqual(
            expect.arrayContaining([...(side.values?.declared ?? [])]),
          )
          expect(forbidden).toEqual(
            expect.arrayContaining([...(side.autonomy_envelope?.forbidden_actions ?? [])]),
          )
          const { retention_days: days = 0, queryable = false } = side.audit_commitment ?? {}
          expect(composed.audit_commitment.retention_days).toBeGreaterThanOrEqual(days)
          expect(composed.audit_commitment.queryable || !queryable).toBe(true)
        }
      }),
    )
  })

  it('never extends what the agent may do', () => {
    fc.assert(
      fc.property(templates, cards, (template, card) => {
        const { autonomy_envelope: envelope } = composeCard(template, card)
        expect(envelope.bounded_actions).toEqual(card.autonomy_envelope.bounded_actions)
        expect(envelope.max_autonomous_value).toEqual(card.autonomy_envelope.max_autonomous_value)
      }),
    )
  })

  it('lists nothing twice that both sides name', () => {
    fc.assert(
      fc.property(templates, cards, (template, card) => {
        const { values, autonomy_envelope: envelope } = composeCard(template, card)
        for (const list of [
          values.declared,
          values.conflicts_with ?? [],
          envelope.forbidden_actions ?? [],
        ]) {
          expect(new Set(list).size).toBe(list.length)
        }
      }),
    )
  })

  it('changes neither the template nor the card', () => {
    fc.assert(
      fc.property(templates, cards, (template, card) => {
        const before = canonicalJson([template, card])
        composeCard(template, card)
        expect(canonicalJson([template, card])).toBe(before)
      }),
    )
  })
})
