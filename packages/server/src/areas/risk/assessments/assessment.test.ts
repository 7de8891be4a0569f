import { describe, expect, it } from 'vitest'
import { type AssessmentInput, assess } from './assessment.ts'
import { cardOf, factsOf, NOW } from './facts.fixture.ts'

const given = (changes: Partial<AssessmentInput> = {}): AssessmentInput => ({
  orgId: 'org-1',
  agent: factsOf(),
  amountMinor: 5_000_000,
  counterparty: null,
  counterpartyId: null,
  now: NOW,
  salt: '0'.repeat(64),
  context: {
    actionType: 'financial_transaction',
    riskTolerance: 'moderate',
    amount: 50_000,
    counterpartyId: null,
    useCase: null,
  },
  assessmentId: 'ra-00000000-0000-4000-8000-000000000001',
  ...changes,
})

describe('assessment', () => {
  it('commits to its inputs as the vector of spec: risk §3 does', () => {
    const assessment = assess(given())
    expect(assessment.result.scoreE4).toBe(4224)
    expect(assessment.inputsCommitment).toBe(
      'sha256:3697291edcd23253da92e5522908373af1feb0adfc040031a8dc63e16bc86fe8',
    )
  })

  it('has a different commitment with a different salt', () => {
    const other = assess(given({ salt: '1'.repeat(64) }))
    expect(other.inputsCommitment).not.toBe(assess(given()).inputsCommitment)
    expect(other.result).toEqual(assess(given()).result)
  })

  it('applies the limit of a card until the card expires', () => {
    const limit = { amount: 10_000, currency: 'USD' }
    const envelope = { bounded_actions: ['pay'], max_autonomous_value: limit }
    const card = { ...cardOf(), autonomy_envelope: envelope }
    const breakersWith = (expires_at: string) =>
      assess(given({ agent: factsOf({ card: { ...card, expires_at } }) })).result.breakers
    expect(breakersWith('2026-03-01T12:00:00.001Z')).toEqual(['autonomy_limit'])
    expect(breakersWith('2026-03-01T12:00:00.000Z')).toEqual([])
  })
})
