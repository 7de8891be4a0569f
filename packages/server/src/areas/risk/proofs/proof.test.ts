import { committedRiskInputs, individualRisk, inputsCommitment } from '@touchstone/protocol/risk'
import { commitmentsOf, decodeJournal, encodeJournal, journalOf } from '@touchstone/prover'
import { describe, expect, it } from 'vitest'
import { afterFailure, journalOfStored, type Provable } from './proof.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

describe('afterFailure', () => {
  it.each([
    [1, 30],
    [2, 60],
    [3, 120],
    [4, 240],
  ])('after failed attempt %i, schedules a retry in %i s', (attempts, seconds) => {
    const dueAt = new Date(NOW.getTime() + 1000 * seconds)
    expect(afterFailure(attempts, NOW)).toEqual({ status: 'pending', dueAt })
  })

  it('fails the proof after the fifth attempt', () => {
    expect(afterFailure(5, NOW)).toEqual({ status: 'failed', dueAt: null })
  })
})

/** Test vector 1 of spec: risk §1.2. */
const INPUT = {
  actionType: 'financial_transaction',
  riskTolerance: 'moderate',
  analysedCheckpoints: 347,
  reputation: 756,
  contained: false,
  amountMinor: 5_000_000,
  maxAutonomousMinor: null,
  counterparty: null,
  components: {
    integrity_ratio: 920,
    compliance: 720,
    drift_stability: 700,
    trace_completeness: 650,
    coherence_compatibility: 390,
  },
  violations: [
    { severity: 'high', days: 10 },
    { severity: 'medium', days: 40 },
  ],
} as const

function provable(): Provable {
  const assessmentId = 'ra-00000000-0000-4000-8000-000000000001'
  const inputs = committedRiskInputs(INPUT, {
    assessmentId,
    agentId: 'agent-b',
    asOf: NOW.toISOString(),
    merkleRoot: `sha256:${'0'.repeat(64)}`,
    salt: '0'.repeat(64),
  })
  const stored = { assessmentId, createdAt: NOW, inputs, result: individualRisk(INPUT) }
  return { ...stored, inputsCommitment: inputsCommitment(inputs) }
}

describe('journalOfStored', () => {
  it('equals the journal computed from the inputs', () => {
    const stored = provable()
    const inputs = stored.inputs as Parameters<typeof journalOf>[0]
    const journal = journalOfStored(stored, commitmentsOf(inputs).witness_commitment)
    expect(journal).toEqual(encodeJournal(journalOf(inputs)))
    expect(decodeJournal(journal)).toMatchObject({
      inputs_commitment: 'sha256:3697291edcd23253da92e5522908373af1feb0adfc040031a8dc63e16bc86fe8',
      score_e4: 4224,
    })
  })

  it('contains the stored result, even if it differs from the one computed from the inputs', () => {
    const stored = provable()
    const wrong = { ...stored, result: { ...stored.result, scoreE4: 1 } }
    const journal = journalOfStored(wrong, `p2bb:${'0'.repeat(64)}`)
    expect(decodeJournal(journal)).toMatchObject({ score_e4: 1 })
  })
})
