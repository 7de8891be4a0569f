import { randomBytes } from 'node:crypto'
import { type StoredRows, traitsOf, verifyStored } from '@touchstone/protocol/evidence'
import { learnPolicy } from '@touchstone/protocol/policy'
import { reportTeam } from '@touchstone/protocol/risk'
import {
  commitmentsOf,
  encodeJournal,
  journalOf,
  proveRisk,
  type RiskInputsDocument,
  riskProgramId,
  verifyRisk,
  witnessOf,
} from '@touchstone/prover'
import { verifyReceiptBody } from './receipt-body.ts'
import { verifySignature } from './verify-signature.ts'

const SEED_BYTES = 32

/**
 * Proves the result of the formula for an inputs document. The seed is new each time and never
 * revealed.
 */
function proveInputs(document: RiskInputsDocument) {
  const startedAt = performance.now()
  const journal = journalOf(document)
  const proof = proveRisk(witnessOf(document), journal, randomBytes(SEED_BYTES))
  return { proof, journal: encodeJournal(journal), ms: performance.now() - startedAt }
}

function commitInputs(document: RiskInputsDocument): string {
  return commitmentsOf(document).witness_commitment
}

function verifyProof({ proof, journal }: { proof: Uint8Array; journal: Uint8Array }): boolean {
  return verifyRisk(proof, journal).valid
}

function readTraits(texts: readonly string[]) {
  return texts.map(traitsOf)
}

/** The tasks that run on worker threads. */
export const TASKS = {
  readTraits,
  reportTeam,
  learnPolicy,
  proveInputs,
  commitInputs,
  verifyProof,
  verifyReceiptBody,
  verifyStored: (rows: StoredRows) => verifyStored(rows, verifySignature),
  programId: (_: null) => riskProgramId(),
} as const

export type ServerTasks = typeof TASKS
