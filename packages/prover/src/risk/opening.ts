import {
  type committedRiskInputs,
  inputsCommitment,
  RISK_FORMULA,
  type RiskInput,
} from '@touchstone/protocol/risk'
import { COMPONENTS } from '@touchstone/protocol/score'
import { computeRegisters, publicOutputs } from './compute.ts'
import { encodeRiskInputs, type RiskWitness, witnessCommitment } from './encoding.ts'
import { describeOutputs, type RiskJournal } from './journal.ts'

/** The inputs document of an assessment, as shown to those with permission to open it. */
export type RiskInputsDocument = ReturnType<typeof committedRiskInputs>

/**
 * Both commitments of a document. They must match the journal; otherwise it is about other inputs.
 */
export function commitmentsOf(document: RiskInputsDocument): {
  inputs_commitment: string
  witness_commitment: string
} {
  return {
    inputs_commitment: inputsCommitment(document),
    witness_commitment: witnessCommitment(witnessOf(document)),
  }
}

/** Whether a journal matches the inputs in a document, which may have any shape. Never throws. */
export function isAbout(journal: RiskJournal | null, document: RiskInputsDocument): boolean {
  try {
    const { inputs_commitment, witness_commitment } = commitmentsOf(document)
    return (
      journal?.inputs_commitment === inputs_commitment &&
      journal.witness_commitment === witness_commitment &&
      journal.assessment_id === document.assessment_id &&
      journal.as_of === document.as_of
    )
  } catch {
    return false
  }
}

/** Encodes the document as the witness that the prover needs. */
export function witnessOf(document: RiskInputsDocument): RiskWitness {
  const componentOf = (key: string) => {
    const index = COMPONENTS.findIndex((component) => component.key === key)
    return document.components[index] ?? Number.NaN
  }
  const input: RiskInput = {
    actionType: document.action_type,
    riskTolerance: document.risk_tolerance,
    analysedCheckpoints: document.analysed_checkpoints,
    reputation: document.reputation,
    components: {
      integrity_ratio: componentOf('integrity_ratio'),
      compliance: componentOf('compliance'),
      drift_stability: componentOf('drift_stability'),
      trace_completeness: componentOf('trace_completeness'),
      coherence_compatibility: componentOf('coherence_compatibility'),
    },
    violations: document.violations.map(([severity, days]) => ({ severity, days })),
    contained: document.contained,
    amountMinor: document.amount_minor,
    maxAutonomousMinor: document.max_autonomous_minor,
    counterparty: document.counterparty,
  }
  return encodeRiskInputs(input, document.salt)
}

/** The journal that the formula gives for a document, and that a proof about it must have. */
export function journalOf(document: RiskInputsDocument): RiskJournal {
  const outputs = publicOutputs(computeRegisters(witnessOf(document)))
  return {
    v: 1,
    kind: 'individual',
    formula: RISK_FORMULA,
    assessment_id: document.assessment_id,
    ...commitmentsOf(document),
    as_of: document.as_of,
    ...describeOutputs(outputs),
  }
}
