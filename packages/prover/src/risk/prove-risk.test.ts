import { individualRisk } from '@touchstone/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeRiskInputs, witnessCommitment } from './encoding.ts'
import { encodeJournal } from './journal.ts'
import { proveRisk } from './prove-risk.ts'
import { anyRiskInput } from './risk-inputs.fixture.ts'
import { verifyRisk } from './verify-risk.ts'

describe('a proof', () => {
  it('is verified', () => {
    for (const input of fc.sample(anyRiskInput, { numRuns: 5, seed: 7 })) {
      const witness = encodeRiskInputs(input, '0123456789abcdef'.repeat(4))
      const { scoreE4, level, recommendation, breakers } = individualRisk(input)
      const journal = {
        v: 1 as const,
        kind: 'individual' as const,
        formula: 'risk-v1' as const,
        assessment_id: 'ra-1',
        inputs_commitment: `sha256:${'0'.repeat(64)}`,
        witness_commitment: witnessCommitment(witness),
        as_of: '2026-03-01T12:00:00.000Z',
        score_e4: scoreE4,
        level,
        recommendation,
        circuit_breakers: breakers,
      }
      const t = performance.now()
      const proof = proveRisk(witness, journal, new Uint8Array(32).fill(7))
      const t2 = performance.now()
      const r = verifyRisk(proof, encodeJournal(journal))
      console.log(proof.length, t2 - t, performance.now() - t2)
      expect(r).toMatchObject({ valid: true })
    }
  })
})
