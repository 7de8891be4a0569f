import type { verifyReceipt } from '@touchstone/prover'
import type { Db } from '../../../kernel/db.ts'
import type { ProofSystem, Provable } from './proof.ts'

/** Creates proofs in the background. Every proof is verified and labelled with its prover. */
export type Prover = Omit<ProofSystem, 'programId'> & {
  /** Hash of the whole program, computed once. */
  programId(): Promise<string>
  prove(inputs: object): Promise<{ proof: Uint8Array; journal: Uint8Array; ms: number }>
  verify(journal: Uint8Array, proof: Uint8Array): Promise<boolean>
}

/** Computes the commitment to the witness of an inputs document on a worker thread. */
export type Committer = (inputs: object) => Promise<string>

/** Verifies any receipt on a worker thread. */
export type Verifier = (
  receipt: Parameters<typeof verifyReceipt>[0],
) => Promise<ReturnType<typeof verifyReceipt>>

export type AssessmentSubject = { orgId: string; agentId: string; counterpartyId: string | null }

export type Assessments = {
  find(assessmentId: string): Promise<Provable | undefined>
  /** The owner of an assessment of an agent or of a team. */
  orgOf(assessmentId: string): Promise<string | undefined>
  /** Locks an assessment until the transaction ends. Undefined for an assessment of a team. */
  hold(tx: Db, assessmentId: string): Promise<AssessmentSubject | undefined>
}
