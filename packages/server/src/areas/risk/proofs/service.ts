import { SIGNATURE_ALGORITHM } from '@touchstone/protocol/evidence'
import { RISK_FORMULA } from '@touchstone/protocol/risk'
import { type ReceiptVerdict, receiptPayload } from '@touchstone/prover'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Assessments, Attestation, Prover, Verifier } from './ports.ts'
import { claimsOf, type Proof, type ProofSystem, type SignedReceipt } from './proof.ts'
import { createProofStore, type ProofRequest, type ProofState } from './store.ts'

export type ProofDeps = {
  db: Db
  clock: Clock
  assessments: () => Assessments
  /** Proves assessments of one agent; there is no prover for assessments of teams. */
  prover: Prover
  verifier: Verifier
  attestation: Attestation
}

/** A proof with its receipt, which is null until the proof is verified. */
export type ShownProof = Proof & { receipt: SignedReceipt | null }

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
        const subject = await assessments().lock(tx, assessmentId)
        if (subject === undefined) throw noProver()
        const proofId = newId('prf')
        const request = { ...subject, proofId, assessmentId, createdAt: clock.now() }
        return (await createProofStore(tx).insertAll([request])) > 0
      })
      const proof = await createProofStore(db).findOfAssessment(assessmentId)
      // The assessment was erased concurrently.
      if (proof === undefined) throw new Problem('not_found', 'No such assessment.')
      return { proof: await withReceipt(deps, proof), isNew }
    },

    /** Only a failed proof can be retried. */
    async retry(proofId: string): Promise<ShownProof> {
      const store = createProofStore(db)
      if (!(await store.restart(proofId, clock.now()))) {
        throw new Problem('validation_error', 'Only a failed proof can be retried.')
      }
      const proof = await store.find(proofId)
      if (proof === undefined) throw new Problem('not_found', 'No such proof.')
      return withReceipt(deps, proof)
    },

    /** The bytes of the body, because parsing megabytes takes long as well. */
    async verify(body: Uint8Array): Promise<ReceiptVerdict> {
      const published = await deps.attestation.publishedKeys()
      const keys = published.map(({ key_id, public_key }) => ({ key_id, public_key }))
      const found = await deps.verifier({ body, keys })
      if (found.ok) return found.verdict
      throw new Problem('validation_error', found.reason, { details: found.details })
    },

    /** The caller must check who owns the proof. */
    async find(proofId: string): Promise<ShownProof | undefined> {
      const proof = await createProofStore(db).find(proofId)
      return proof && withReceipt(deps, proof)
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

/** Signs on every read, so that receipts from before keys were rotated name a current key. */
async function withReceipt({ db, attestation }: ProofDeps, proof: Proof): Promise<ShownProof> {
  if (proof.status !== 'verified') return { ...proof, receipt: null }
  const receipt = await createProofStore(db).findReceipt(proof.proofId)
  if (receipt === undefined) return { ...proof, receipt: null }
  const claims = claimsOf(receipt)
  const { keyId, sign } = await attestation.signer()
  const value = sign(receiptPayload(claims))
  const signature = { algorithm: SIGNATURE_ALGORITHM, key_id: keyId, value }
  return { ...proof, receipt: { ...receipt, claims, signature } }
}
