import { describe, expect, it } from 'vitest'
import type { AlignmentCard } from '../cards/card.ts'
import { validateCard } from '../cards/validate-card.ts'
import { CARD_A, CARD_B, CARD_C } from '../risk/cards.fixture.ts'
import { deriveTeamCard } from './derive-team-card.ts'

const TEAM = { teamId: 'team-1', orgId: 'org-1', issuedAt: new Date('2026-03-01T12:00:00Z') }
const derive = (...cards: readonly AlignmentCard[]) => deriveTeamCard(cards, TEAM)

type Envelope = AlignmentCard['autonomy_envelope']
const withEnvelope = (card: AlignmentCard, envelope: Partial<Envelope>): AlignmentCard => ({
  ...card,
  autonomy_envelope: { ...card.autonomy_envelope, ...envelope },
})

type Audit = AlignmentCard['audit_commitment']
const withAudit = (card: AlignmentCard, audit: Partial<Audit>): AlignmentCard => ({
  ...card,
  audit_commitment: { ...card.audit_commitment, ...audit },
})

describe('deriveTeamCard', () => {
  it('derives every field of the card from the three members', () => {
    const { card, droppedConflicts } = derive(CARD_C, CARD_B, CARD_A)
    expect(card).toEqual({
      aap_version: '0.5.0',
      agent_id: 'team-1',
      issued_at: '2026-03-01T12:00:00.000Z',
      principal: {
        type: 'organization',
        identifier: 'org-1',
        relationship: 'delegated_authority',
      },
      values: {
        declared: ['accuracy', 'transparency', 'speed', 'data_hoarding', 'privacy'],
        conflicts_with: [],
        hierarchy: 'lexicographic',
      },
      autonomy_envelope: {
        bounded_actions: ['archive', 'search', 'summarize'],
        forbidden_actions: ['delete_records', 'send_report'],
        escalation_triggers: [],
      },
      audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 90, queryable: true },
    })
    expect(droppedConflicts).toEqual(['data_hoarding', 'privacy'])
  })

  it('returns a valid card', () => {
    const { card } = derive(CARD_A, CARD_B)
    const outcome = validateCard({ card }, { agentId: 'team-1', now: TEAM.issuedAt })
    expect(outcome).toMatchObject({ valid: true })
  })

  it('removes an action that any member forbids, ignoring the explanation after the colon', () => {
    const a = withEnvelope(CARD_A, { bounded_actions: ['refund: up to the price', 'search'] })
    const b = withEnvelope(CARD_B, { bounded_actions: ['search'], forbidden_actions: ['refund'] })
    expect(derive(a, b).card.autonomy_envelope.bounded_actions).toEqual(['search'])
  })

  it('keeps the first definition and the first reason, by agent id', () => {
    const define = (card: AlignmentCard, description: string): AlignmentCard => ({
      ...card,
      values: { ...card.values, definitions: { accuracy: { description } } },
    })
    const trigger = (reason: string): Partial<Envelope> => ({
      escalation_triggers: [{ condition: 'amount > 10', action: 'escalate', reason }],
    })
    const a = withEnvelope(define(CARD_A, 'of a'), trigger('of a'))
    const b = withEnvelope(define(CARD_B, 'of b'), trigger('of b'))
    const { card } = derive(b, a)
    expect(card.values.definitions).toEqual({ accuracy: { description: 'of a' } })
    expect(card.autonomy_envelope.escalation_triggers).toEqual([
      { condition: 'amount > 10', action: 'escalate', reason: 'of a' },
    ])
  })

  it('takes the lowest limit if all have the same currency, otherwise none', () => {
    const limited = (card: AlignmentCard, amount: number, currency: string) =>
      withEnvelope(card, { max_autonomous_value: { amount, currency } })
    const limitOf = (...cards: readonly AlignmentCard[]) =>
      derive(...cards).card.autonomy_envelope.max_autonomous_value
    const a = limited(CARD_A, 500, 'USD')
    expect(limitOf(a, limited(CARD_B, 200, 'USD'), CARD_C)).toEqual({
      amount: 200,
      currency: 'USD',
    })
    expect(limitOf(a, limited(CARD_B, 200, 'EUR'))).toBeUndefined()
  })

  it('takes the longest retention and the weakest tamper evidence of the members', () => {
    const a = withAudit(CARD_A, { retention_days: 400, tamper_evidence: 'merkle' })
    const b = withAudit(CARD_B, { queryable: false, tamper_evidence: 'signed' })
    expect(derive(a, b).card.audit_commitment).toEqual({
      trace_format: 'ap-trace-v1',
      retention_days: 400,
      queryable: false,
      tamper_evidence: 'signed',
    })
    expect(derive(a, CARD_C).card.audit_commitment.tamper_evidence).toBeUndefined()
  })
})
