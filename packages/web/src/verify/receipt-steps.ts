import type { TrustedKey } from '@touchstone/protocol/evidence'
import { type Receipt, type RiskJournal, verifyReceipt } from '@touchstone/prover'
import { createStep, type Verification } from './verification.ts'

/** Verifies the proof from the receipt alone, and its other fields with the published keys. */
export function verifyRiskReceipt(receipt: Receipt, keys: readonly TrustedKey[]): Verification {
  const { valid, checks, journal, reason } = verifyReceipt(
    receipt,
    keys.length > 0 ? keys : undefined,
  )
  const why = reason ?? 'no reason given'
  return {
    kind: 'risk receipt',
    ok: valid,
    steps: [
      createStep({
        key: 'program_known',
        claim: 'The receipt is for the published formula',
        faults: checks.program_known ? [] : [`${receipt.formula}, ${receipt.program_id}: ${why}`],
      }),
      createStep({
        key: 'journal_well_formed',
        claim: 'The journal is well-formed',
        faults: checks.journal_well_formed ? [] : [why],
      }),
      createStep({
        key: 'proof_valid',
        claim: 'The STARK proof shows that the result follows from the inputs',
        faults: checks.proof_valid ? [] : [why],
      }),
      ...(checks.fields_signed === null
        ? []
        : [
            createStep({
              key: 'fields_signed',
              claim: 'The service signed the other fields of the receipt',
              faults: checks.fields_signed ? [] : [why],
            }),
          ]),
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
    ['Circuit breakers', circuit_breakers.join(', ') || 'None'],
  ]
}
