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
 * Proves that the committed witness gives the values in the journal. The randomness, at least 32
 * bytes from a secure source, hides the witness and must stay secret. Throws if the journal is
 * wrong, because no proof of it exists.
 */
export function proveRisk(
  witness: RiskWitness,
  journal: RiskJournal,
  randomness: Uint8Array,
): Uint8Array {
  const registers = computeRegisters(witness)
  const statement = riskStatement(encodeJournal(journal), journal)
  const computed = [witnessCommitment(witness), ...publicOutputs(registers)]
  const claimed = [journal.witness_commitment, ...statement.publics.slice(8)]
  if (computed.join() !== claimed.join())
    throw new RangeError('the journal does not match the inputs')
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
