import { describe, expect, it } from 'vitest'
import type { AlignmentCard } from '../cards/card.ts'
import { validateCard } from '../cards/validate-card.ts'
import { CARD_A, CARD_B, CARD_C } from '../risk/cards.fixture.ts'
import { deriveTeamCard } from './derive-team-card.ts'

const TEAM = { teamId: 'team-1', orgId: 'org-1', issuedAt: new Date('2026-03-01T12:00:00Z') }
const derive = (...cards: readonly AlignmentCard[]) => deriveTeamCard(cards, TEAM)

type Envelope = AlignmentCard['autonomy_envelope']
const acting = (card: AlignmentCard, envelope: Partial<Envelope>): AlignmentCard => ({
  ...card,
  autonomy_envelope: { ...card.autonomy_envelope, ...envelope },
})

type Audit = AlignmentCard['audit_commitment']
const keeping = (card: AlignmentCard, audit: Partial<Audit>): AlignmentCard => ({
  ...card,
  audit_commitment: { ...card.audit_commitment, ...audit },
})

describe('deriveTeamCard', () => {
  it('derives exactly the published card of the three members', () => {
    const { card, droppedConflicts } = derive(CARD_C, CARD_B, CARD_A)
    expect(card).toMatchObject({
      aap_version: '0.5.0',
      agent_id: 'team-1',
      principal: {
        type: 'organization',
        identifier: 'org-1',
        relationship: 'delegated_authority',
      },
    })
    expect(card.values).toEqual({
      declared: ['accuracy', 'transparency', 'speed', 'data_hoarding', 'privacy'],
      conflicts_with: [],
      hierarchy: 'lexicographic',
    })
    expect(card.autonomy_envelope).toEqual({
      bounded_actions: ['archive', 'search', 'summarize'],
      forbidden_actions: ['delete_records', 'send_report'],
      escalation_triggers: [],
    })
    expect(droppedConflicts).toEqual(['data_hoarding', 'privacy'])
  })

  it('is a valid card', () => {
    const { card } = derive(CARD_A, CARD_B)
    const outcome = validateCard({ card }, { agentId: 'team-1', now: TEAM.issuedAt })
    expect(outcome).toMatchObject({ valid: true })
  })

  it('removes actions that any member forbids by name, whatever explanation follows', () => {
    const a = acting(CARD_A, { bounded_actions: ['refund: up to the price', 'search'] })
    const b = acting(CARD_B, { bounded_actions: ['search'], forbidden_actions: ['refund'] })
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
    const a = acting(define(CARD_A, 'of a'), trigger('of a'))
    const b = acting(define(CARD_B, 'of b'), trigger('of b'))
    const { card } = derive(b, a)
    expect(card.values.definitions).toEqual({ accuracy: { description: 'of a' } })
    expect(card.autonomy_envelope.escalation_triggers).toEqual([
      { condition: 'amount > 10', action: 'escalate', reason: 'of a' },
    ])
  })

  it('takes the smallest limit of one currency, and none if there are several', () => {
    const limited = (card: AlignmentCard, amount: number, currency: string) =>
      acting(card, { max_autonomous_value: { amount, currency } })
    const limitOf = (...cards: readonly AlignmentCard[]) =>
      derive(...cards).card.autonomy_envelope.max_autonomous_value
    const a = limited(CARD_A, 500, 'USD')
    expect(limitOf(a, limited(CARD_B, 200, 'USD'), CARD_C)).toEqual({
      amount: 200,
      currency: 'USD',
    })
    expect(limitOf(a, limited(CARD_B, 200, 'EUR'))).toBeUndefined()
  })

  it('retains as long as the longest member and proves as much as the weakest', () => {
    const a = keeping(CARD_A, { retention_days: 400, tamper_evidence: 'merkle' })
    const b = keeping(CARD_B, { queryable: false, tamper_evidence: 'signed' })
    expect(derive(a, b).card.audit_commitment).toEqual({
      trace_format: 'ap-trace-v1',
      retention_days: 400,
      queryable: false,
      tamper_evidence: 'signed',
    })
    expect(derive(a, CARD_C).card.audit_commitment.tamper_evidence).toBeUndefined()
  })
})
