import type { Hex } from '@touchstone/protocol/chain'
import type { WantedAnchor } from './anchor.ts'

/** The words of the chain, loaded when they are first needed. */
export async function encodeAnchor(wanted: WantedAnchor): Promise<Hex> {
  const { anchorCall } = await import('../../../chain/evm.ts')
  return anchorCall(wanted.merkleRoot, wanted.leafCount, wanted.treeDepth)
}
