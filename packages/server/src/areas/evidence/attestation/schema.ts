import { bytesToBase64, hexToBytes } from '@touchstone/protocol/base'
import type { PublishedKey } from '@touchstone/protocol/crypto'
import { Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { LogProof } from '../../../log-wire.ts'
import type { Consistency, Inclusion, SignedTreeHead } from './certificate-service.ts'

export const CheckpointParams = Type.Object({ checkpoint_id: Type.String() })

const Key = NamedObject('SigningKey', {
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  x: Type.String(),
  kid: Type.String(),
  use: Type.Enum(['sig', 'log'], { description: 'log: signs checkpoints of the witnessed log' }),
  alg: Type.Literal('EdDSA'),
  key_id: Type.String(),
  algorithm: Type.Literal('Ed25519'),
  public_key: Type.String({ description: 'the raw 32 bytes in hex' }),
  whpk: Type.String({ description: 'the same key for Standard Webhooks v1a signatures' }),
  created_at: Type.String(),
  is_active: Type.Boolean(),
})

export const KeySet = NamedObject('SigningKeySet', { keys: Type.Array(Key) })

/** Webhook receivers expect the same key in a different encoding (spec: platform §5.1). */
export function toKeySet(keys: readonly PublishedKey[]) {
  return {
    keys: keys.map((key) => ({
      ...key,
      whpk: `whpk_${bytesToBase64(hexToBytes(key.public_key))}`,
    })),
  }
}

/** Not validated here: the verification reports what is wrong, field by field. */
export const VerifyBody = NamedObject('CertificateToVerify', {
  certificate: Type.Unknown({
    description: 'An integrity certificate, as GET /v1/checkpoints/{id}/certificate gives it.',
  }),
})

const Valid = { valid: Type.Boolean() }

export const Verification = NamedObject('CertificateVerification', {
  valid: Type.Boolean({ description: 'true if every check that is not null passes' }),
  checks: Type.Object({
    signature: Type.Object({ ...Valid, key_id: Type.String() }),
    record: Type.Object({ ...Valid, record_hash: Type.String() }),
    chain: Type.Object({ ...Valid, chain_hash: Type.String() }),
    merkle: Nullable(Type.Object({ ...Valid, root: Type.String() })),
    input_commitment: Type.Object({ ...Valid, commitment: Type.String() }),
    log: Type.Optional(
      Type.Object(
        {
          ...Valid,
          index: Type.Integer(),
          cosigned_by: Nullable(Type.Array(Type.String())),
        },
        { description: 'of a certificate with a proof of the log' },
      ),
    ),
    verdict_derivation: Type.Null(),
  }),
  details: Type.String({
    description: 'for each check, ok or the reason it failed, joined by "; "',
  }),
})

const Path = Type.Array(
  NamedObject('MerkleSibling', {
    hash: Type.String(),
    position: Type.String({ description: 'left or right: the side of the sibling' }),
  }),
  { description: 'siblings from the leaf to the root' },
)

export const IntegrityCertificate = NamedObject('Certificate', {
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
        { description: 'null for a synthetic checkpoint, which is not in the tree' },
      ),
    ),
    verdict_derivation: Type.Null(),
  }),
  verification: Type.Object({
    keys_url: Type.String(),
    certificate_url: Type.String(),
    verify_url: Type.String(),
  }),
  log: Type.Optional(LogProof),
})

export const InclusionQuery = Type.Object({
  tree_size: Type.Optional(
    Type.Integer({
      description: 'greater than leaf_index, at most the current size; default: the current size',
    }),
  ),
})

export const InclusionProof = NamedObject('InclusionProof', {
  checkpoint_id: Type.String(),
  leaf_hash: Type.String(),
  leaf_index: Type.Integer(),
  siblings: Path,
  root: Type.String(),
  tree_size: Type.Integer(),
  verified: Type.Boolean({ description: 'whether the service checked the proof against the root' }),
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

export const TreeHead = NamedObject('TreeHead', {
  agent_id: Type.String(),
  merkle_root: Type.String(),
  onchain_root: Type.String({ description: 'merkle_root with a 0x prefix' }),
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

export const ConsistencyProof = NamedObject('ConsistencyProof', {
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
