import { RISK_FORMULA, type RiskResult } from '@touchstone/protocol/risk'
import { encodeJournal, type ReceiptClaims, type ReceiptSignature } from '@touchstone/prover'

export type ProofStatus = 'pending' | 'proving' | 'verified' | 'failed'

export type Proof = {
  proofId: string
  assessmentId: string
  orgId: string
  status: ProofStatus
  attempts: number
  error: string | null
  createdAt: Date
  startedAt: Date | null
  verifiedAt: Date | null
}

/** The prover of a proof, and the program that it proves. */
export type ProofSystem = {
  proofType: string
  system: string
  systemVersion: string
  securityBits: number
  audited: boolean
  programId: string
  formula: string
}

export type Receipt = ProofSystem & {
  journal: Uint8Array
  proof: Uint8Array
  /** Hex. */
  proofSha256: string
  provingMs: number
}

/** A receipt with the service's signature of its fields. */
export type SignedReceipt = Receipt & { claims: ReceiptClaims; signature: ReceiptSignature }

/** The fields of a receipt as they are published and signed. */
export function claimsOf(receipt: Receipt): ReceiptClaims {
  return {
    proof_type: receipt.proofType,
    system: receipt.system,
    system_version: receipt.systemVersion,
    security_bits: receipt.securityBits,
    audited: receipt.audited,
    program_id: receipt.programId,
    formula: receipt.formula,
    journal: Buffer.from(receipt.journal).toString('base64'),
    proof_sha256: receipt.proofSha256,
    proof_bytes: receipt.proof.length,
    proving_ms: receipt.provingMs,
  }
}

/** The part of a stored assessment that a proof covers. */
export type Provable = {
  assessmentId: string
  createdAt: Date
  result: Pick<RiskResult, 'scoreE4' | 'level' | 'recommendation' | 'breakers'>
  inputs: object
  inputsCommitment: string
}

const MINUTE_MS = 60_000
const ATTEMPTS_MAX = 5
const DELAY_FIRST_MS = MINUTE_MS / 2
/** An attempt that has not ended within the lease is considered lost (spec: risk §3). */
export const LEASE_MS = 15 * MINUTE_MS

export type AfterFailure = { status: 'pending'; dueAt: Date } | { status: 'failed'; dueAt: null }

/** The next state of a proof after its nth attempt failed: a retry with back-off, or failure. */
export function afterFailure(attempts: number, now: Date): AfterFailure {
  if (attempts >= ATTEMPTS_MAX) return { status: 'failed', dueAt: null }
  const delayMs = DELAY_FIRST_MS * 2 ** (attempts - 1)
  return { status: 'pending', dueAt: new Date(now.getTime() + delayMs) }
}

/**
 * The journal that a proof must have, byte for byte, according to the stored assessment. The
 * witness commitment is that of the stored inputs.
 */
export function journalOfStored(
  { result, ...stored }: Omit<Provable, 'inputs'>,
  witnessCommitment: string,
): Uint8Array {
  return encodeJournal({
    v: 1,
    kind: 'individual',
    formula: RISK_FORMULA,
    assessment_id: stored.assessmentId,
    inputs_commitment: stored.inputsCommitment,
    witness_commitment: witnessCommitment,
    as_of: stored.createdAt.toISOString(),
    score_e4: result.scoreE4,
    level: result.level,
    recommendation: result.recommendation,
    circuit_breakers: result.breakers,
  })
}
