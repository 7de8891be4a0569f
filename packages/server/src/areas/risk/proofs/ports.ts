import type { TrustedKey } from '@touchstone/protocol/evidence'
import type { ReceiptVerdict } from '@touchstone/prover'
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

/** Parses the body of a request and verifies its receipt, on a worker thread. */
export type Verifier = (given: { body: Uint8Array; keys: readonly TrustedKey[] }) => Promise<
  | { ok: true; verdict: ReceiptVerdict }
  | {
      ok: false
      reason: string
      details: readonly { path: string; code: string; message: string }[]
    }
>

/** The keys that the service signs receipts with, as it signs certificates. */
export type Attestation = {
  signer(): Promise<{ keyId: string; sign(payload: string): string }>
  publishedKeys(): Promise<readonly TrustedKey[]>
}

export type AssessmentSubject = { orgId: string; agentId: string; counterpartyId: string | null }

export type Assessments = {
  find(assessmentId: string): Promise<Provable | undefined>
  /** The owner of an assessment of an agent or of a team. */
  orgOf(assessmentId: string): Promise<string | undefined>
  /** Locks an assessment until the transaction ends. Undefined for an assessment of a team. */
  lock(tx: Db, assessmentId: string): Promise<AssessmentSubject | undefined>
}
