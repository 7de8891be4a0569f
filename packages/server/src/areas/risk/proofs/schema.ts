import { RISK_BREAKERS, RISK_LEVELS } from '@touchstone/protocol/risk'
import type { ReceiptVerdict } from '@touchstone/prover'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { ProofSystem, SignedReceipt } from './proof.ts'
import type { ShownProof } from './service.ts'

/** A larger proof is downloaded separately (spec: risk §3). */
const INLINE_BYTES_MAX = 1_000_000

export const ProofParams = Type.Object({ proof_id: Type.String() })
export const AssessmentParams = Type.Object({ assessment_id: Type.String() })

const Sha256 = Type.String({ description: 'sha256: and hex' })

const ReceiptAnswer = NamedObject('ProofReceipt', {
  proof_type: Type.String(),
  system: Type.String(),
  system_version: Type.String(),
  security_bits: Type.Integer({ description: 'a conservative estimate' }),
  audited: Type.Boolean(),
  program_id: Sha256,
  formula: Type.String(),
  journal: Type.String({ description: 'base64 of the canonical bytes' }),
  proof: Nullable(Type.String({ description: 'base64; null if larger than 1 MB' })),
  proof_url: Nullable(
    Type.String({ description: 'where to download the proof if it is not included' }),
  ),
  proof_sha256: Type.String({ description: '64 hex digits' }),
  proof_bytes: Type.Integer(),
  proving_ms: Type.Integer(),
  signature: NamedObject(
    'ProofReceiptSignature',
    { algorithm: Type.String(), key_id: Type.String(), value: Type.String() },
    { description: "the service's signature of every field except proof and proof_url" },
  ),
})

export const ProofAnswer = NamedObject('Proof', {
  proof_id: Type.String(),
  status: NamedEnum('ProofStatus', ['pending', 'proving', 'verified', 'failed']),
  assessment_id: Type.String(),
  assessment_kind: Type.Literal('individual'),
  attempts: Type.Integer(),
  error: Nullable(Type.String({ description: 'why the last attempt failed' })),
  receipt: Nullable(ReceiptAnswer),
  created_at: Type.String(),
  started_at: Nullable(Type.String({ description: 'when the last attempt started' })),
  verified_at: Nullable(Type.String()),
})

export const ProofData = {
  description: 'The bytes of the proof',
  content: {
    'application/octet-stream': {
      schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
    },
  },
}

export const ProgramsAnswer = NamedObject('ProofPrograms', {
  programs: Type.Array(
    NamedObject('ProofProgram', {
      formula: Type.String(),
      system: Type.String(),
      system_version: Type.String(),
      program_id: Sha256,
      active: Type.Boolean(),
    }),
  ),
})

/** Other fields of a receipt are accepted and ignored. */
export const VerifyBody = NamedObject('ProofToVerify', {
  receipt: NamedObject('ReceiptToVerify', {
    program_id: Type.String(),
    formula: Type.String(),
    journal: Type.String({ description: 'base64' }),
    proof: Type.String({ description: 'base64' }),
    proof_sha256: Type.String({ description: '64 hex digits' }),
  }),
})

export const VerifyAnswer = NamedObject('ProofVerification', {
  valid: Type.Boolean(),
  checks: Type.Object({
    program_known: Type.Boolean(),
    proof_valid: Type.Boolean(),
    journal_well_formed: Type.Boolean(),
    fields_signed: Nullable(
      Type.Boolean({ description: 'whether this service signed every field; null if unsigned' }),
    ),
  }),
  journal: Nullable(
    NamedObject('ProofJournal', {
      v: Type.Integer(),
      kind: Type.String(),
      formula: Type.String(),
      assessment_id: Type.String(),
      inputs_commitment: Type.String(),
      witness_commitment: Type.String(),
      as_of: Type.String(),
      score_e4: Type.Integer(),
      level: NamedEnum('RiskLevel', [...RISK_LEVELS]),
      recommendation: NamedEnum('RiskRecommendation', ['approve', 'review', 'deny']),
      circuit_breakers: Type.Array(NamedEnum('RiskBreaker', [...RISK_BREAKERS])),
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

function toReceipt(receipt: SignedReceipt, url: string): Static<typeof ReceiptAnswer> {
  const isInline = receipt.proof.length <= INLINE_BYTES_MAX
  return {
    ...receipt.claims,
    proof: isInline ? Buffer.from(receipt.proof).toString('base64') : null,
    proof_url: isInline ? null : url,
    signature: receipt.signature,
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

export function toVerdict({ valid, checks, journal }: ReceiptVerdict): Static<typeof VerifyAnswer> {
  const shown = journal && { ...journal, circuit_breakers: [...journal.circuit_breakers] }
  return { valid, checks, journal: shown }
}
