import type { Hex } from '@touchstone/protocol/chain'
import { treeDepth } from '@touchstone/protocol/merkle'

/** A request to the anchor contract. */
export type WantedAnchor = { merkleRoot: Hex; leafCount: number; treeDepth: number }

/** automatic: a tree over the trees of all agents. log: the tree of the witnessed log. */
export type AnchorKind = 'manual' | 'automatic' | 'log'

export type Anchor = WantedAnchor & {
  anchorId: string
  seq: number
  kind: AnchorKind
  txHash: Hex
  blockNumber: number
  gasUsed: number
  anchoredAt: Date
}

/** The contract refuses deeper trees. */
export const DEPTH_MAX = 32

export type Fault = { field: string; message: string }

/** Checks beyond the shape of the fields (spec: chain §3). */
export function faultOf(wanted: WantedAnchor): Fault | undefined {
  if (/^0x0*$/.test(wanted.merkleRoot)) {
    return { field: 'merkle_root', message: 'must not be zero' }
  }
  const depthMin = treeDepth(wanted.leafCount)
  if (wanted.treeDepth >= depthMin && wanted.treeDepth <= DEPTH_MAX) return undefined
  const message = `must be from ${depthMin} to ${DEPTH_MAX} for ${wanted.leafCount} leaves`
  return { field: 'tree_depth', message }
}
