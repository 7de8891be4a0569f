import type { Hex } from '@touchstone/protocol/chain'
import { treeDepth } from '@touchstone/protocol/merkle'

/** What is wanted of the anchor contract. */
export type WantedAnchor = { merkleRoot: Hex; leafCount: number; treeDepth: number }

export type Anchor = WantedAnchor & {
  anchorId: string
  seq: number
  kind: 'manual' | 'automatic'
  txHash: Hex
  blockNumber: number
  gasUsed: number
  anchoredAt: Date
}

/** The contract anchors no deeper tree. */
export const DEPTH_MAX = 32

export type Fault = { field: string; message: string }

/** Beyond the shape of the fields (04 §6.3). */
export function faultOf(wanted: WantedAnchor): Fault | undefined {
  if (/^0x0*$/.test(wanted.merkleRoot)) {
    return { field: 'merkle_root', message: 'must not be zero' }
  }
  const depthMin = treeDepth(wanted.leafCount)
  if (wanted.treeDepth >= depthMin && wanted.treeDepth <= DEPTH_MAX) return undefined
  const message = `must be from ${depthMin} to ${DEPTH_MAX} for ${wanted.leafCount} leaves`
  return { field: 'tree_depth', message }
}
