import { sha256 } from '../hash/sha256.ts'
import { Refusal } from '../stark/bytes.ts'
import { verifyStark } from '../stark/verify.ts'
import { riskProgram, riskProgramDigest } from './air.ts'
import { decodeJournal, publicValues, type RiskJournal } from './journal.ts'

export type Verification = { valid: true; journal: RiskJournal } | { valid: false; reason: string }

/** Whether a proof shows that the journal, byte for byte, follows from the committed inputs. */
export function verifyRisk(proof: Uint8Array, journalBytes: Uint8Array): Verification {
  const journal = decodeJournal(journalBytes)
  if (journal === undefined) return { valid: false, reason: 'not a valid journal of risk-v1' }
  try {
    verifyStark(proof, {
      program: riskProgram(),
      programDigest: riskProgramDigest(),
      journalDigest: sha256(journalBytes),
      publics: publicValues(journal),
    })
    return { valid: true, journal }
  } catch (err) {
    if (err instanceof Refusal) return { valid: false, reason: err.message }
    throw err
  }
}
