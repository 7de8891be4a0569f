import { sha256 } from '../hash/sha256.ts'
import { elementBytes } from '../stark/bytes.ts'
import { proveStark } from '../stark/prove.ts'
import { createRandomness } from '../stark/randomness.ts'
import type { Statement } from '../stark/transcript.ts'
import { riskProgram, riskProgramDigest } from './air.ts'
import { computeRegisters, publicOutputs } from './compute.ts'
import { type RiskWitness, witnessCommitment, witnessElements } from './encoding.ts'
import { encodeJournal, publicValues, type RiskJournal } from './journal.ts'
import { buildTrace } from './trace.ts'

/**
 * A proof that the committed witness gives what the journal says. The randomness, 32 bytes or more
 * out of a secure source, hides the witness and must not be told. Throws when the journal is wrong:
 * no proof of it exists.
 */
export function proveRisk(
  witness: RiskWitness,
  journal: RiskJournal,
  randomness: Uint8Array,
): Uint8Array {
  const registers = computeRegisters(witness)
  const statement = riskStatement(encodeJournal(journal), journal)
  const shown = [witnessCommitment(witness), ...publicOutputs(registers)]
  const said = [journal.witness_commitment, ...statement.publics.slice(8)]
  if (shown.join() !== said.join()) throw new RangeError('the journal is not what the inputs give')
  const secret = elementBytes(witnessElements(witness))
  const stream = createRandomness(
    randomness,
    statement.programDigest,
    statement.journalDigest,
    secret,
  )
  return proveStark(statement, buildTrace(witness, registers), stream)
}

export function riskStatement(journalBytes: Uint8Array, journal: RiskJournal): Statement {
  return {
    program: riskProgram(),
    programDigest: riskProgramDigest(),
    journalDigest: sha256(journalBytes),
    publics: publicValues(journal),
  }
}
