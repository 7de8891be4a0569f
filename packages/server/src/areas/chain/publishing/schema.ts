import { BATCH_MAX } from '@touchstone/protocol/chain'
import { GRADES } from '@touchstone/protocol/score'
import { type Static, Type } from 'typebox'
import { AssuranceLevel } from '../../../assurance-wire.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { assuranceOf } from './proof.ts'
import type { Publication, Wanted } from './publication.ts'
import type { Proof } from './service.ts'

const GRADE_NAMES = GRADES.map(({ grade }) => grade)

export const PublishBody = NamedObject('ScorePublicationRequest', {
  publications: Type.Array(
    NamedObject('ScoreToPublish', {
      agent_id: Type.String({ minLength: 1, maxLength: 128 }),
      score: Type.Number({ minimum: 0, maximum: 1000 }),
      grade: NamedEnum('RatedGrade', GRADE_NAMES),
    }),
    { minItems: 1, maxItems: BATCH_MAX },
  ),
})

export const PublicationAnswer = NamedObject('ScorePublication', {
  publication_id: Type.String(),
  tx_hash: Type.String(),
  block_number: Type.Integer(),
  gas_used: Type.Integer(),
  agent_count: Type.Integer(),
  published_at: Type.String(),
})

export const ProofAnswer = NamedObject('PublishedScoreVerification', {
  agent_id: Type.String(),
  on_chain_score: Type.Integer(),
  grade: Type.String(),
  metadata_hash: Type.String(),
  metadata: Type.Unknown({
    description: 'The hashed document: metadata_hash is the keccak256 of its canonical JSON',
  }),
  published_at: Type.String(),
  block_number: Type.Integer(),
  tx_hash: Type.String(),
  verified: Type.Boolean(),
  assurance: Nullable(AssuranceLevel),
})

export function toWanted(body: Static<typeof PublishBody>): Wanted[] {
  return body.publications.map(({ agent_id: agentId, score, grade }) => ({ agentId, score, grade }))
}

export function toPublication(made: Publication): Static<typeof PublicationAnswer> {
  return {
    publication_id: made.publicationId,
    tx_hash: made.txHash,
    block_number: made.blockNumber,
    gas_used: made.gasUsed,
    agent_count: made.agentCount,
    published_at: made.publishedAt.toISOString(),
  }
}

export function toProof(proof: Proof): Static<typeof ProofAnswer> {
  return {
    agent_id: proof.agentId,
    on_chain_score: proof.score,
    grade: proof.grade,
    metadata_hash: proof.metadataHash,
    metadata: JSON.parse(proof.metadata),
    published_at: proof.publishedAt.toISOString(),
    block_number: proof.blockNumber,
    tx_hash: proof.txHash,
    verified: proof.verified,
    assurance: assuranceOf(proof),
  }
}
