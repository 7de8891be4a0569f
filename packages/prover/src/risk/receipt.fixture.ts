import { individualRisk, RISK_FORMULA, type RiskInput } from '@touchstone/protocol/risk'
import { encodeRiskInputs, type RiskWitness, witnessCommitment } from './encoding.ts'
import { encodeJournal, type RiskJournal } from './journal.ts'
import { proveRisk } from './prove-risk.ts'

export const SALT = '00112233445566778899aabbccddeeff'.repeat(2)

export type Proven = {
  witness: RiskWitness
  journal: RiskJournal
  journalBytes: Uint8Array
  proof: Uint8Array
}

/** The journal with the values that the service computes. */
export function journalOf(input: RiskInput, witness: RiskWitness): RiskJournal {
  const { scoreE4, level, recommendation, breakers } = individualRisk(input)
  return {
    v: 1,
    kind: 'individual',
    formula: RISK_FORMULA,
    assessment_id: 'ra-00000000-0000-4000-8000-000000000001',
    inputs_commitment: `sha256:${'0'.repeat(64)}`,
    witness_commitment: witnessCommitment(witness),
    as_of: '2026-03-01T12:00:00.000Z',
    score_e4: scoreE4,
    level,
    recommendation,
    circuit_breakers: breakers,
  }
}

export function seedOf(n: number): Uint8Array {
  return new Uint8Array(32).fill(n & 0xff).fill(n >> 8, 1, 2)
}

export function proven(input: RiskInput, seed = 0): Proven {
  const witness = encodeRiskInputs(input, SALT)
  const journal = journalOf(input, witness)
  const proof = proveRisk(witness, journal, seedOf(seed))
  return { witness, journal, journalBytes: encodeJournal(journal), proof }
}
