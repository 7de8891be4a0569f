import { bytesToHex, hexToBytes, isHashHex } from '../base/encoding.ts'
import type { JsonObject } from '../base/shape.ts'
import { opensLogEntry, parseLogEntry } from '../log/entry.ts'
import { leafHash, nodeHash, type Side } from '../merkle/merkle.ts'
import type { Hex } from './publication.ts'

/**
 * Automatic anchors (spec: chain §5): one RFC 6962 tree over all agents, whose root is on the
 * chain. With its proof an agent shows that the root of its own checkpoint tree was anchored.
 */

export type AnchoredAgent = {
  agentId: string
  /** The root of its checkpoint tree, in hex without prefix. */
  merkleRoot: string
  checkpointCount: number
}

export type AnchorProof = {
  merkle_root: string
  agent_id: string
  leaf: string
  leaf_preimage: string
  /** From the leaf to the root. */
  siblings: readonly { hash: string; position: Side }[]
  /** Only of an anchor of the log: what opens the entry, which is the preimage. */
  nonce?: string
  record?: JsonObject
}

/** A checkpoint of an agent in the log when its root was anchored. */
export type AnchoredCheckpoint = {
  agentId: string
  checkpointId: string
  /** Commits to all checkpoints of the agent up to this one. */
  chainHash: string
  position: number
}

export function anchorLeafData({ agentId, merkleRoot, checkpointCount }: AnchoredAgent): string {
  return `${agentId}|${merkleRoot}|${checkpointCount}`
}

export function anchorLeaf(agent: AnchoredAgent): Uint8Array {
  return leafHash(new TextEncoder().encode(anchorLeafData(agent)))
}

const WORD = /^0x[0-9a-f]{64}$/
const PREIMAGE = /^(.+)\|([0-9a-f]{64})\|([1-9][0-9]*)$/s
/** The contract rejects deeper trees. */
const DEPTH_MAX = 32

/**
 * Returns what the proof shows: that this agent had this root over this many checkpoints when
 * `merkle_root` was anchored; undefined if the proof is invalid. The caller must ask the chain
 * whether, and since when, the root is anchored.
 */
export function verifyAnchorProof(proof: AnchorProof): AnchoredAgent | undefined {
  const parts = PREIMAGE.exec(proof.leaf_preimage)
  const [, agentId, merkleRoot, count] = parts ?? []
  if (agentId === undefined || merkleRoot === undefined || agentId !== proof.agent_id) {
    return undefined
  }
  if (!leadsToRoot(proof)) return undefined
  return { agentId, merkleRoot, checkpointCount: Number(count) }
}

/**
 * The same for an anchor of the log: that this checkpoint of the agent, and all before it, were in the
 * log when `merkle_root` was anchored.
 */
export function verifyLogAnchorProof(proof: AnchorProof): AnchoredCheckpoint | undefined {
  const { nonce, record } = proof
  const entry = parseLogEntry(new TextEncoder().encode(proof.leaf_preimage))
  if (!entry.ok || entry.value.type !== 'checkpoint') return undefined
  if (record === undefined || nonce === undefined || !isHashHex(nonce)) return undefined
  if (!opensLogEntry(entry.value, { nonce: hexToBytes(nonce), record })) return undefined
  const { agent_id: agentId, checkpoint_id: checkpointId, chain_hash: chainHash, position } = record
  const isRecord =
    agentId === proof.agent_id &&
    typeof checkpointId === 'string' &&
    typeof chainHash === 'string' &&
    typeof position === 'number'
  if (!isRecord || !leadsToRoot(proof)) return undefined
  return { agentId: proof.agent_id, checkpointId, chainHash, position }
}

function leadsToRoot(proof: AnchorProof): boolean {
  const leaf = leafHash(new TextEncoder().encode(proof.leaf_preimage))
  if (proof.leaf !== hexOf(leaf) || proof.siblings.length > DEPTH_MAX) return false
  if (!proof.siblings.every(isSibling)) return false
  const root = proof.siblings.reduce((below, { hash, position }) => {
    const sibling = hexToBytes(hash.slice(2))
    return position === 'left' ? nodeHash(sibling, below) : nodeHash(below, sibling)
  }, leaf)
  return hexOf(root) === proof.merkle_root
}

function isSibling({ hash, position }: AnchorProof['siblings'][number]): boolean {
  return WORD.test(hash) && (position === 'left' || position === 'right')
}

function hexOf(hash: Uint8Array): Hex {
  return `0x${bytesToHex(hash)}`
}
