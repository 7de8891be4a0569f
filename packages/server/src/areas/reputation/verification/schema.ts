import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { Proof } from './service.ts'

export const VerifyQuery = Type.Object({
  depth: Type.Optional(
    NamedEnum('VerificationDepth', ['tail', 'full'], {
      description:
        'tail (default) checks the chain since the last audit; full checks all of it, for the organisation of the agent only',
    }),
  ),
})

const Hash = Type.String({ description: 'sha256: and 64 hex digits' })

export const ScoreVerification = NamedObject('ReputationVerification', {
  agent_id: Type.String(),
  score: Type.Number(),
  grade: Type.String(),
  verified: Type.Boolean({ description: 'true if every check passes' }),
  verification: NamedObject('ReputationProof', {
    certificate_hash: Nullable(Hash),
    merkle_root: Nullable(Hash),
    hash_chain_valid: Type.Boolean(),
    checkpoint_count: Type.Integer({
      description: 'analysed checkpoints, including those excluded from the score',
    }),
    latest_checkpoint_id: Nullable(Type.String()),
    latest_checkpoint_at: Nullable(Type.String()),
    proof_generated_at: Type.String(),
    audited_through: Nullable(
      Type.Integer({ description: 'the last position that a full audit checked' }),
    ),
    audited_at: Nullable(Type.String()),
  }),
  computed_at: Type.String(),
})

export function toScoreVerification(proof: Proof) {
  const { published, latest, audit } = proof
  return {
    agent_id: published.agentId,
    score: published.score,
    grade: published.grade,
    verified: proof.verified,
    verification: {
      certificate_hash: prefixed(proof.certificateHash),
      merkle_root: prefixed(proof.merkleRoot),
      hash_chain_valid: proof.hashChainValid,
      checkpoint_count: proof.leafCount,
      latest_checkpoint_id: latest?.checkpointId ?? null,
      latest_checkpoint_at: latest?.at ?? null,
      proof_generated_at: proof.generatedAt.toISOString(),
      audited_through: audit.auditedThrough,
      audited_at: audit.auditedAt?.toISOString() ?? null,
    },
    computed_at: published.computedAt.toISOString(),
  }
}

function prefixed(hash: string | null): string | null {
  return hash === null ? null : `sha256:${hash}`
}

export const Bundle = {
  description:
    'One JSON object per line, {kind, value, digest}: header, trace_drift, pair_score, adjustment, checkpoint, certificate, and a signed trailer',
  content: { 'application/x-ndjson': { schema: Type.String() } },
}
