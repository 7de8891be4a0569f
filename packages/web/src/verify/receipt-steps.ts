import { type Receipt, type RiskJournal, verifyReceipt } from '@touchstone/prover'
import { createStep, type Verification } from './verification.ts'

/** Checks the proof itself: nothing but the receipt is needed, no key and no service. */
export function verifyRiskReceipt(receipt: Receipt): Verification {
  const { valid, checks, journal, reason } = verifyReceipt(receipt)
  const why = reason ?? 'it is not'
  return {
    kind: 'risk receipt',
    ok: valid,
    steps: [
      createStep({
        key: 'program_known',
        claim: 'It is about the published formula',
        faults: checks.program_known ? [] : [`${receipt.formula}, ${receipt.program_id}: ${why}`],
      }),
      createStep({
        key: 'journal_well_formed',
        claim: 'It states a result in the agreed form',
        faults: checks.journal_well_formed ? [] : [why],
      }),
      createStep({
        key: 'proof_valid',
        claim: 'The STARK proof shows that the result follows',
        faults: checks.proof_valid ? [] : [why],
      }),
    ],
    facts: journal === null ? [] : factsOf(journal),
  }
}

function factsOf(journal: RiskJournal): Verification['facts'] {
  const { score_e4, level, recommendation, circuit_breakers } = journal
  return [
    ['Assessment', journal.assessment_id],
    ['As of', journal.as_of],
    ['Risk', `${(score_e4 / 10_000).toFixed(4)}, ${level}`],
    ['Recommendation', recommendation],
    ['Circuit breakers', circuit_breakers.join(', ') || 'none'],
  ]
}
