import { type Static, Type } from 'typebox'
import {
  Assurance,
  AssuredScore,
  Methodology,
  methodologyOf,
  toAssurance,
} from '../../../assurance-wire.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { FullAudit as FullAuditValue } from './ports.ts'
import type { Proof } from './service.ts'

export const AuditBody = NamedObject('FullAuditRequest', {
  full: Type.Literal(true, { description: 'recompute every checkpoint of the agent' }),
})

/** Its result is in the answer of GET verify. */
export const FullAudit = NamedObject('FullAudit', {
  state: NamedEnum('FullAuditState', ['running', 'finished'], {
    description: 'hash_chain_valid says what a finished one found',
  }),
  requested_at: Type.String(),
  finished_at: Nullable(Type.String()),
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
  checked: NamedObject('ReputationChecked', {
    since_audit: Type.Integer({
      description: 'checkpoints stored since the last full audit and recomputed for this answer',
    }),
    unchecked: Type.Integer({
      description:
        'stored since then and not recomputed, because only the newest 1,000 are; 0 as a rule',
    }),
    sampled: Type.Integer({
      description: 'older checkpoints, chosen at random and recomputed for this answer',
    }),
    seed: Type.String({ description: 'determines which ones were chosen; 16 hex digits' }),
    audited_at: Nullable(
      Type.String({ description: 'when an audit last recomputed all checkpoints' }),
    ),
  }),
  full_audit: Nullable(FullAudit),
  computed_at: Type.String(),
  assurance: Nullable(Assurance),
  assured_score: AssuredScore,
  methodology: Methodology,
})

export function toScoreVerification(proof: Proof) {
  const { published, latest, audit, checked } = proof
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
    checked: {
      since_audit: checked.sinceAudit,
      unchecked: checked.unchecked,
      sampled: checked.sampled,
      seed: checked.seed,
      audited_at: checked.auditedAt?.toISOString() ?? null,
    },
    full_audit: audit.full === null ? null : toFullAudit(audit.full),
    computed_at: published.computedAt.toISOString(),
    assurance: published.assurance && toAssurance(published.assurance),
    assured_score: published.assuredScore,
    methodology: methodologyOf(published),
  }
}

export function toFullAudit({ requestedAt, finishedAt }: FullAuditValue): Static<typeof FullAudit> {
  return {
    state: finishedAt === null ? 'running' : 'finished',
    requested_at: requestedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
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
