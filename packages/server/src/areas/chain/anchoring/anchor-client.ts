import type { Hex } from '@touchstone/protocol/chain'
import type { WantedAnchor } from './anchor.ts'

/** Loads the EVM encoder on first use, because it is slow to load. */
export async function encodeAnchor(wanted: WantedAnchor): Promise<Hex> {
  const { anchorCall } = await import('../../../chain/evm.ts')
  return anchorCall(wanted.merkleRoot, wanted.leafCount, wanted.treeDepth)
}
