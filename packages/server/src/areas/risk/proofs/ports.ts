import type { verifyReceipt } from '@touchstone/prover'
import type { Db } from '../../../kernel/db.ts'
import type { ProofSystem, Provable } from './proof.ts'

/** Makes proofs, outside of requests; what it makes is checked and labelled as its own. */
export type Prover = Omit<ProofSystem, 'programId'> & {
  /** Computed once, from all that the program is. */
  programId(): Promise<string>
  prove(inputs: object): Promise<{ proof: Uint8Array; journal: Uint8Array; ms: number }>
  verify(journal: Uint8Array, proof: Uint8Array): Promise<boolean>
}

/** The commitment to the witness that an inputs document encodes to, beside the event loop. */
export type Committer = (inputs: object) => Promise<string>

/** Checks any receipt beside the event loop. */
export type Verifier = (
  receipt: Parameters<typeof verifyReceipt>[0],
) => Promise<ReturnType<typeof verifyReceipt>>

export type Held = { orgId: string; agentId: string; counterpartyId: string | null }

export type Assessments = {
  find(assessmentId: string): Promise<Provable | undefined>
  /** Whose it is; of a team's, too. */
  orgOf(assessmentId: string): Promise<string | undefined>
  /** It stays until the transaction ends. Undefined for a team's. */
  hold(tx: Db, assessmentId: string): Promise<Held | undefined>
}
