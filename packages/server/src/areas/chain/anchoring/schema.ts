import type { Hex } from '@touchstone/protocol/chain'
import { type Static, Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { type Anchor, DEPTH_MAX, type WantedAnchor } from './anchor.ts'
import type { StoredProof } from './coverage-service.ts'

export const AnchorBody = NamedObject('NewAnchor', {
  merkle_root: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
  leaf_count: Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 }),
  tree_depth: Type.Integer({
    minimum: 0,
    maximum: DEPTH_MAX,
    description: 'from ceil(log2(leaf_count)) to 32',
  }),
})

export const AnchorAnswer = NamedObject('Anchor', {
  anchor_id: Type.String(),
  merkle_root: Type.String(),
  leaf_count: Type.Integer(),
  tree_depth: Type.Integer(),
  tx_hash: Type.String(),
  block_number: Type.Integer(),
  gas_used: Type.Integer(),
  chain: Type.Literal('base'),
  anchored_at: Type.String(),
})

export const ProofParams = Type.Object({ anchor_id: Type.String(), agent_id: Type.String() })

export const ProofAnswer = NamedObject('AnchorProof', {
  anchor_id: Type.String(),
  merkle_root: Type.String(),
  agent_id: Type.String(),
  leaf: Type.String({ description: 'SHA-256 of a zero byte and the leaf_preimage' }),
  leaf_preimage: Type.String({
    description:
      'agent_id|Merkle root|checkpoint count; for an anchor of the log, the entry of the newest checkpoint',
  }),
  siblings: Type.Array(
    NamedObject('AnchorSibling', { hash: Type.String(), position: Type.Enum(['left', 'right']) }),
  ),
  nonce: Type.Optional(
    Type.String({ description: 'hex; opens the entry of an anchor of the log, with the record' }),
  ),
  record: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'the members hashed' }),
  ),
})

export function toWanted(body: Static<typeof AnchorBody>): WantedAnchor {
  return {
    merkleRoot: body.merkle_root.toLowerCase() as Hex,
    leafCount: body.leaf_count,
    treeDepth: body.tree_depth,
  }
}

export function toAnchor(anchor: Anchor): Static<typeof AnchorAnswer> {
  return {
    anchor_id: anchor.anchorId,
    merkle_root: anchor.merkleRoot,
    leaf_count: anchor.leafCount,
    tree_depth: anchor.treeDepth,
    tx_hash: anchor.txHash,
    block_number: anchor.blockNumber,
    gas_used: anchor.gasUsed,
    chain: 'base',
    anchored_at: anchor.anchoredAt.toISOString(),
  }
}

export function toProof({ anchorId, ...proof }: StoredProof): Static<typeof ProofAnswer> {
  return { anchor_id: anchorId, ...proof, siblings: [...proof.siblings] }
}
