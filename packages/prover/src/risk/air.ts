import { RISK_FORMULA } from '@touchstone/protocol/risk'
import { createAirBuilder } from '../stark/air-builder.ts'
import { type Program, programDigest } from '../stark/program.ts'
import { constrainCommitment } from './air-commitment.ts'
import { constrainFormula, PUBLICS } from './air-formula.ts'
import { constrainViolations } from './air-violations.ts'
import { COLUMNS, ROWS, USED_ROWS } from './layout.ts'

/** docs/concepts/proofs.md derives the security of these numbers. */
const PARAMETERS = {
  rows: ROWS,
  usedRows: USED_ROWS,
  blowup: 16,
  queries: 48,
  grindingBits: 16,
  folding: 8,
  finalCoefficients: 4,
  quotientSegments: 4,
}

let built: Program | undefined

/** The program for risk-v1, built on first use and cached. */
export function riskProgram(): Program {
  if (built === undefined) {
    const air = createAirBuilder(PARAMETERS)
    constrainCommitment(air)
    constrainViolations(air)
    constrainFormula(air)
    built = air.finish({ name: RISK_FORMULA, columns: COLUMNS, publics: PUBLICS })
  }
  return built
}

let digested: Uint8Array | undefined

export function riskProgramDigest(): Uint8Array {
  digested ??= programDigest(riskProgram())
  return digested
}
