import { bytesToBase64, hexToBytes } from '@touchstone/protocol/base'
import type { PublishedKey } from '@touchstone/protocol/crypto'
import { Type } from 'typebox'
import { Nullable } from '../../../http/wire.ts'
import type { Consistency, Inclusion, SignedTreeHead } from './certificate-service.ts'

export const CheckpointParams = Type.Object({ checkpoint_id: Type.String() })

const Key = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  x: Type.String(),
  kid: Type.String(),
  use: Type.Literal('sig'),
  alg: Type.Literal('EdDSA'),
  key_id: Type.String(),
  algorithm: Type.Literal('Ed25519'),
  public_key: Type.String({ description: 'the raw 32 bytes in hex' }),
  whpk: Type.String({ description: 'the same for Standard Webhooks v1a signatures' }),
  created_at: Type.String(),
  is_active: Type.Boolean(),
})

export const KeySet = Type.Object({ keys: Type.Array(Key) })

/** 04 §5.1: webhook receivers know the key by another spelling. */
export function toKeySet(keys: readonly PublishedKey[]) {
  return {
    keys: keys.map((key) => ({
      ...key,
      whpk: `whpk_${bytesToBase64(hexToBytes(key.public_key))}`,
    })),
  }
}

/** The shape of a certificate is told by its verification, place by place. */
export const VerifyBody = Type.Object({
  certificate: Type.Unknown({
    description: 'An integrity certificate, as GET /v1/checkpoints/{id}/certificate gives it.',
  }),
})

const Valid = { valid: Type.Boolean() }

export const Verification = Type.Object({
  valid: Type.Boolean({ description: 'true when every check that is not null passes' }),
  checks: Type.Object({
    signature: Type.Object({ ...Valid, key_id: Type.String() }),
    record: Type.Object({ ...Valid, record_hash: Type.String() }),
    chain: Type.Object({ ...Valid, chain_hash: Type.String() }),
    merkle: Nullable(Type.Object({ ...Valid, root: Type.String() })),
    input_commitment: Type.Object({ ...Valid, commitment: Type.String() }),
    verdict_derivation: Type.Null(),
  }),
  details: Type.String({ description: 'per check: ok or the reason why not, joined by "; "' }),
})

const Path = Type.Array(
  Type.Object({
    hash: Type.String(),
    position: Type.String({ description: 'left or right: on which side the sibling stands' }),
  }),
  { description: 'siblings from the leaf to the root' },
)

export const IntegrityCertificate = Type.Object({
  '@context': Type.String(),
  type: Type.String(),
  version: Type.String(),
  certificate_id: Type.String(),
  issued_at: Type.String(),
  timestamp: Type.String(),
  subject: Type.Object({
    checkpoint_id: Type.String(),
    agent_id: Type.String(),
    session_id: Type.String(),
    card_id: Type.String(),
  }),
  claims: Type.Object({
    verdict: Type.String(),
    concerns: Type.Readonly(
      Type.Array(
        Type.Object({
          category: Type.String(),
          severity: Type.String(),
          description: Type.String(),
        }),
      ),
    ),
    confidence: Type.Number(),
    reasoning_summary: Type.String(),
    analyzer: Type.String(),
    analysis_model: Type.String(),
    analysis_duration_ms: Type.Number(),
    synthetic: Type.Boolean(),
  }),
  input_commitments: Type.Object({
    thinking_block_hash: Type.String(),
    output_block_hash: Nullable(Type.String()),
    card_hash: Type.String(),
    values_hash: Type.String(),
    context_hash: Type.String(),
    model_version: Type.String(),
    template_version: Type.String(),
    combined_commitment: Type.String(),
  }),
  proofs: Type.Object({
    signature: Type.Object({
      algorithm: Type.String(),
      key_id: Type.String(),
      value: Type.String({ description: 'base64' }),
      signed_payload: Type.String({ description: 'canonical JSON' }),
    }),
    chain: Type.Object({
      record_hash: Type.String(),
      chain_hash: Type.String(),
      prev_chain_hash: Nullable(Type.String()),
      position: Type.Integer(),
    }),
    merkle: Nullable(
      Type.Object(
        {
          leaf_hash: Type.String(),
          leaf_index: Type.Integer(),
          root: Type.String(),
          tree_size: Type.Integer(),
          inclusion_proof: Path,
        },
        { description: 'null for a synthetic checkpoint, which is in no tree' },
      ),
    ),
    verdict_derivation: Type.Null(),
  }),
  verification: Type.Object({
    keys_url: Type.String(),
    certificate_url: Type.String(),
    verify_url: Type.String(),
  }),
})

export const InclusionQuery = Type.Object({
  tree_size: Type.Optional(
    Type.Integer({ description: 'above leaf_index, up to the current size, which is the default' }),
  ),
})

export const InclusionProof = Type.Object({
  checkpoint_id: Type.String(),
  leaf_hash: Type.String(),
  leaf_index: Type.Integer(),
  siblings: Path,
  root: Type.String(),
  tree_size: Type.Integer(),
  verified: Type.Boolean({ description: 'the service checked the proof against the root' }),
})

export function toInclusionProof(inclusion: Inclusion) {
  return {
    checkpoint_id: inclusion.checkpointId,
    leaf_hash: inclusion.leafHash,
    leaf_index: inclusion.leafIndex,
    siblings: inclusion.siblings,
    root: inclusion.root,
    tree_size: inclusion.treeSize,
    verified: inclusion.verified,
  }
}

export const TreeHead = Type.Object({
  agent_id: Type.String(),
  merkle_root: Type.String(),
  onchain_root: Type.String({ description: 'the same with 0x' }),
  tree_depth: Type.Integer(),
  leaf_count: Type.Integer(),
  last_updated: Type.String(),
  key_id: Type.String(),
  signature: Type.String({
    description: 'Ed25519, base64, over canonical JSON of agent_id, leaf_count and merkle_root',
  }),
})

export function toTreeHead(head: SignedTreeHead) {
  return {
    agent_id: head.agentId,
    merkle_root: head.merkleRoot,
    onchain_root: `0x${head.merkleRoot}`,
    tree_depth: head.treeDepth,
    leaf_count: head.leafCount,
    last_updated: head.lastUpdated.toISOString(),
    key_id: head.keyId,
    signature: head.signature,
  }
}

export const ConsistencyQuery = Type.Object({
  first: Type.Integer({ description: 'at least 1' }),
  second: Type.Integer({ description: 'at least first, at most the current size' }),
})

export const ConsistencyProof = Type.Object({
  first: Type.Integer(),
  second: Type.Integer(),
  first_root: Type.String(),
  second_root: Type.String(),
  proof: Type.Array(Type.String(), { description: 'hashes in hex, by RFC 6962 §2.1.2' }),
})

export function toConsistencyProof(consistency: Consistency) {
  return {
    first: consistency.first,
    second: consistency.second,
    first_root: consistency.firstRoot,
    second_root: consistency.secondRoot,
    proof: consistency.proof,
  }
}
