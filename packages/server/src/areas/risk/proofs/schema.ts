import { RISK_BREAKERS, RISK_LEVELS } from '@touchstone/protocol/risk'
import type { ReceiptVerdict } from '@touchstone/prover'
import { type Static, Type } from 'typebox'
import { Nullable } from '../../../http/wire.ts'
import type { ProofSystem, Receipt } from './proof.ts'
import type { ShownProof } from './service.ts'

/** A proof larger than this is fetched by itself (03 §4). */
const INLINE_BYTES_MAX = 1_000_000

export const ProofParams = Type.Object({ proof_id: Type.String() })
export const AssessmentParams = Type.Object({ assessment_id: Type.String() })

const Sha256 = Type.String({ description: 'sha256: and hex' })

const ReceiptAnswer = Type.Object({
  proof_type: Type.String(),
  system: Type.String(),
  system_version: Type.String(),
  security_bits: Type.Integer({ description: 'by a conservative count' }),
  audited: Type.Boolean(),
  program_id: Sha256,
  formula: Type.String(),
  journal: Type.String({ description: 'base64 of the canonical bytes' }),
  proof: Nullable(Type.String({ description: 'base64; null for more than 1 MB' })),
  proof_url: Nullable(Type.String({ description: 'where the proof is, when it is not here' })),
  proof_sha256: Type.String({ description: '64 hex digits' }),
  proof_bytes: Type.Integer(),
  proving_ms: Type.Integer(),
})

export const ProofAnswer = Type.Object({
  proof_id: Type.String(),
  status: Type.Enum(['pending', 'proving', 'verified', 'failed']),
  assessment_id: Type.String(),
  assessment_kind: Type.Literal('individual'),
  attempts: Type.Integer(),
  error: Nullable(Type.String({ description: 'why the last attempt failed' })),
  receipt: Nullable(ReceiptAnswer),
  created_at: Type.String(),
  started_at: Nullable(Type.String({ description: 'when the last attempt began' })),
  verified_at: Nullable(Type.String()),
})

export const ProofData = {
  description: 'The bytes of the proof',
  content: { 'application/octet-stream': { schema: Type.Unsafe<Buffer>({ type: 'string' }) } },
}

export const ProgramsAnswer = Type.Object({
  programs: Type.Array(
    Type.Object({
      formula: Type.String(),
      system: Type.String(),
      system_version: Type.String(),
      program_id: Sha256,
      active: Type.Boolean(),
    }),
  ),
})

/** More of a receipt may be sent; only this is checked. */
export const VerifyBody = Type.Object({
  receipt: Type.Object({
    program_id: Type.String(),
    formula: Type.String(),
    journal: Type.String({ description: 'base64' }),
    proof: Type.String({ description: 'base64' }),
    proof_sha256: Type.String({ description: '64 hex digits' }),
  }),
})

export const VerifyAnswer = Type.Object({
  valid: Type.Boolean(),
  checks: Type.Object({
    program_known: Type.Boolean(),
    proof_valid: Type.Boolean(),
    journal_well_formed: Type.Boolean(),
  }),
  journal: Nullable(
    Type.Object({
      v: Type.Integer(),
      kind: Type.String(),
      formula: Type.String(),
      assessment_id: Type.String(),
      inputs_commitment: Type.String(),
      witness_commitment: Type.String(),
      as_of: Type.String(),
      score_e4: Type.Integer(),
      level: Type.Enum([...RISK_LEVELS]),
      recommendation: Type.Enum(['approve', 'review', 'deny']),
      circuit_breakers: Type.Array(Type.Enum([...RISK_BREAKERS])),
    }),
  ),
})

export function toProof(proof: ShownProof, baseUrl: string): Static<typeof ProofAnswer> {
  const { proofId, receipt } = proof
  const url = `${baseUrl}/v1/risk/proofs/${proofId}/data`
  return {
    proof_id: proofId,
    status: proof.status,
    assessment_id: proof.assessmentId,
    assessment_kind: 'individual',
    attempts: proof.attempts,
    error: proof.error,
    receipt: receipt && toReceipt(receipt, url),
    created_at: proof.createdAt.toISOString(),
    started_at: proof.startedAt?.toISOString() ?? null,
    verified_at: proof.verifiedAt?.toISOString() ?? null,
  }
}

function toReceipt(receipt: Receipt, url: string): Static<typeof ReceiptAnswer> {
  const isInline = receipt.proof.length <= INLINE_BYTES_MAX
  return {
    proof_type: receipt.proofType,
    system: receipt.system,
    system_version: receipt.systemVersion,
    security_bits: receipt.securityBits,
    audited: receipt.audited,
    program_id: receipt.programId,
    formula: receipt.formula,
    journal: Buffer.from(receipt.journal).toString('base64'),
    proof: isInline ? Buffer.from(receipt.proof).toString('base64') : null,
    proof_url: isInline ? null : url,
    proof_sha256: receipt.proofSha256,
    proof_bytes: receipt.proof.length,
    proving_ms: receipt.provingMs,
  }
}

export function toPrograms(programs: readonly ProofSystem[]): Static<typeof ProgramsAnswer> {
  return {
    programs: programs.map((program) => ({
      formula: program.formula,
      system: program.system,
      system_version: program.systemVersion,
      program_id: program.programId,
      active: true,
    })),
  }
}

export function toReceiptParts({ receipt }: Static<typeof VerifyBody>) {
  const { program_id, formula, journal, proof, proof_sha256 } = receipt
  return { program_id, formula, journal, proof, proof_sha256 }
}

export function toVerdict({ valid, checks, journal }: ReceiptVerdict): Static<typeof VerifyAnswer> {
  const told = journal && { ...journal, circuit_breakers: [...journal.circuit_breakers] }
  return { valid, checks, journal: told }
}
