import type { RiskJournal } from '../risk/journal.ts'
import { riskStatement } from '../risk/prove-risk.ts'
import { openProof } from './proof.ts'
import { drawChallenges } from './verify.ts'

/**
 * Everything that a verifier sees of a proof: its claims, the challenges, and the opened leaves.
 */
export function seenOf(proof: Uint8Array, journalBytes: Uint8Array, journal: RiskJournal) {
  const statement = riskStatement(journalBytes, journal)
  const { claims, readAnswers } = openProof(proof, statement.program)
  const challenges = drawChallenges(claims, statement)
  return { claims, challenges, answers: readAnswers(challenges.positions) }
}

export function openingsOf(proof: Uint8Array, journalBytes: Uint8Array, journal: RiskJournal) {
  return seenOf(proof, journalBytes, journal).answers
}
