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
  /** Of the formula for one agent; for that of teams there is none. */
  prover: Prover
  verifier: Verifier
}

/** A proof as it is shown; the receipt once it is verified. */
export type ShownProof = Proof & { receipt: Receipt | null }

export type ProofService = ReturnType<typeof createProofService>

export function createProofService(deps: ProofDeps) {
  return { ...asking(deps), ...reading(deps), ...ending() }
}

function asking(deps: ProofDeps) {
  const { db, clock } = deps
  return {
    newProofId: (): string => newId('prf'),

    /** In the transaction that stores the assessments. */
    async request(tx: Db, requests: readonly ProofRequest[]): Promise<void> {
      if (requests.length > 0) await createProofStore(tx).insertAll(requests)
    },

    /** The proof of an assessment that is there; whose that is, the caller has asked. */
    async prove(assessmentId: string): Promise<{ proof: ShownProof; isNew: boolean }> {
      const isNew = await transact(db, async (tx) => {
        const held = await deps.assessments().hold(tx, assessmentId)
        if (held === undefined) throw noProver()
        const proofId = newId('prf')
        const request = { ...held, proofId, assessmentId, createdAt: clock.now() }
        return (await createProofStore(tx).insertAll([request])) > 0
      })
      const proof = await createProofStore(db).findOfAssessment(assessmentId)
      // Erased since.
      if (proof === undefined) throw new Problem('not_found', 'No such assessment.')
      return { proof: await withReceipt(db, proof), isNew }
    },

    /** Only one that failed can be tried again. */
    async retry(proofId: string): Promise<ShownProof> {
      const store = createProofStore(db)
      if (!(await store.restart(proofId, clock.now()))) {
        throw new Problem('validation_error', 'Only a proof that failed can be tried again.')
      }
      const proof = await store.find(proofId)
      if (proof === undefined) throw new Problem('not_found', 'No such proof.')
      return withReceipt(db, proof)
    },

    verify: deps.verifier,
  }
}

function noProver(): Problem {
  return new Problem('validation_error', `There is a prover for ${RISK_FORMULA} only.`)
}

async function withReceipt(db: Db, proof: Proof): Promise<ShownProof> {
  const isVerified = proof.status === 'verified'
  const receipt = isVerified ? await createProofStore(db).findReceipt(proof.proofId) : undefined
  return { ...proof, receipt: receipt ?? null }
}

function reading({ db, prover, assessments }: ProofDeps) {
  return {
    /** Whose it is, the caller must ask. */
    async find(proofId: string): Promise<ShownProof | undefined> {
      const proof = await createProofStore(db).find(proofId)
      return proof && withReceipt(db, proof)
    },

    async findAssessment(assessmentId: string): Promise<{ orgId: string } | undefined> {
      const orgId = await assessments().orgOf(assessmentId)
      return orgId === undefined ? undefined : { orgId }
    },

    /** By assessment; those without a proof are left out. */
    statesOf: (assessmentIds: readonly string[]): Promise<Map<string, ProofState>> =>
      createProofStore(db).statesOf(assessmentIds),

    async programs(): Promise<ProofSystem[]> {
      const { proofType, system, systemVersion, securityBits, audited, formula } = prover
      const programId = await prover.programId()
      return [{ proofType, system, systemVersion, securityBits, audited, formula, programId }]
    },

    /** How many are not at their end. */
    countWaiting: (): Promise<number> => createProofStore(db).countWaiting(),
  }
}

function ending() {
  return {
    /** INVARIANT: after the assessments, which a proof asked for meanwhile holds on to. */
    erase: (tx: Db, agentId: AgentId): Promise<void> => createProofStore(tx).deleteOfAgent(agentId),

    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> => createProofStore(tx).deleteOfOrg(orgId),
  }
}
