import { RISK_FORMULA } from '@touchstone/protocol/risk'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Assessments, Prover, Verifier } from './ports.ts'
import type { Proof, ProofSystem, Receipt } from './proof.ts'
import { createProofStore, type ProofRequest, type ProofState } from './store.ts'

export type ProofDeps = {
  db: Db
  clock: Clock
  assessments: () => Assessments
  /** Proves assessments of one agent; there is no prover for assessments of teams. */
  prover: Prover
  verifier: Verifier
}

/** A proof with its receipt, which is null until the proof is verified. */
export type ShownProof = Proof & { receipt: Receipt | null }

export type ProofService = ReturnType<typeof createProofService>

export function createProofService(deps: ProofDeps) {
  const { db, clock, prover, assessments } = deps
  return {
    newProofId: (): string => newId('prf'),

    /** Called in the transaction that stores the assessments. */
    async request(tx: Db, requests: readonly ProofRequest[]): Promise<void> {
      if (requests.length > 0) await createProofStore(tx).insertAll(requests)
    },

    /** Requests a proof; idempotent. The caller must check who owns the assessment. */
    async prove(assessmentId: string): Promise<{ proof: ShownProof; isNew: boolean }> {
      const isNew = await transact(db, async (tx) => {
        const subject = await assessments().hold(tx, assessmentId)
        if (subject === undefined) throw noProver()
        const proofId = newId('prf')
        const request = { ...subject, proofId, assessmentId, createdAt: clock.now() }
        return (await createProofStore(tx).insertAll([request])) > 0
      })
      const proof = await createProofStore(db).findOfAssessment(assessmentId)
      // The assessment was erased meanwhile.
      if (proof === undefined) throw new Problem('not_found', 'No such assessment.')
      return { proof: await withReceipt(db, proof), isNew }
    },

    /** Only a failed proof can be retried. */
    async retry(proofId: string): Promise<ShownProof> {
      const store = createProofStore(db)
      if (!(await store.restart(proofId, clock.now()))) {
        throw new Problem('validation_error', 'Only a failed proof can be retried.')
      }
      const proof = await store.find(proofId)
      if (proof === undefined) throw new Problem('not_found', 'No such proof.')
      return withReceipt(db, proof)
    },

    verify: deps.verifier,

    /** The caller must check who owns the proof. */
    async find(proofId: string): Promise<ShownProof | undefined> {
      const proof = await createProofStore(db).find(proofId)
      return proof && withReceipt(db, proof)
    },

    async findAssessment(assessmentId: string): Promise<{ orgId: string } | undefined> {
      const orgId = await assessments().orgOf(assessmentId)
      return orgId === undefined ? undefined : { orgId }
    },

    /** By assessment; assessments without a proof are left out. */
    statesOf: (assessmentIds: readonly string[]): Promise<Map<string, ProofState>> =>
      createProofStore(db).statesOf(assessmentIds),

    async programs(): Promise<ProofSystem[]> {
      const { proofType, system, systemVersion, securityBits, audited, formula } = prover
      const programId = await prover.programId()
      return [{ proofType, system, systemVersion, securityBits, audited, formula, programId }]
    },

    /** Number of proofs that are neither verified nor failed. */
    countWaiting: (): Promise<number> => createProofStore(db).countWaiting(),

    /** INVARIANT: called after the assessments are deleted, which a concurrent request has locked. */
    erase: (tx: Db, agentId: AgentId): Promise<void> => createProofStore(tx).deleteOfAgent(agentId),

    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> => createProofStore(tx).deleteOfOrg(orgId),
  }
}

function noProver(): Problem {
  const message = `Only assessments with the formula ${RISK_FORMULA} can be proved.`
  return new Problem('validation_error', message)
}

async function withReceipt(db: Db, proof: Proof): Promise<ShownProof> {
  const isVerified = proof.status === 'verified'
  const receipt = isVerified ? await createProofStore(db).findReceipt(proof.proofId) : undefined
  return { ...proof, receipt: receipt ?? null }
}
