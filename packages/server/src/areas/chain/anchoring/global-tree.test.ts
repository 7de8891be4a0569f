import { bytesToHex } from '@touchstone/protocol/base'
import { anchorLeaf, anchorLeafData, verifyAnchorProof } from '@touchstone/protocol/chain'
import { merkleRoot, treeDepth } from '@touchstone/protocol/merkle'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_LEAVES, globalPath, globalTree } from './global-tree.ts'

const agents = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    agentId: `agent-${String(n).padStart(6, '0')}`,
    merkleRoot: bytesToHex(anchorLeaf({ agentId: 'x', merkleRoot: '', checkpointCount: n })),
    checkpointCount: n + 1,
  }))

const sizes = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: CHUNK_LEAVES - 2, max: CHUNK_LEAVES + 2 }),
  fc.integer({ min: 3 * CHUNK_LEAVES - 2, max: 5 * CHUNK_LEAVES + 2 }),
)

describe('globalTree', () => {
  it('has the root and depth of one tree over all leaves, however it is chunked', () => {
    fc.assert(
      fc.property(sizes, (count) => {
        const tree = globalTree(agents(count))
        expect(tree.root).toEqual(merkleRoot(agents(count).map(anchorLeaf)))
        expect(tree.treeDepth).toBe(treeDepth(count))
        expect(tree.leafCount).toBe(count)
      }),
      { numRuns: 30 },
    )
  })

  it('has a path from any leaf to the root', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (count, at) => {
        const tree = globalTree(agents(count))
        const position = at % count
        const chunk = tree.chunks[Math.floor(position / CHUNK_LEAVES)]
        const roots = tree.chunks.map(({ root }) => root)
        const path = globalPath({ position, leafCount: count }, chunk?.leaves ?? [], roots)
        const agent = agents(count)[position] ?? { agentId: '', merkleRoot: '', checkpointCount: 0 }
        const proof = {
          merkle_root: `0x${bytesToHex(tree.root)}`,
          agent_id: agent.agentId,
          leaf: `0x${bytesToHex(anchorLeaf(agent))}`,
          leaf_preimage: anchorLeafData(agent),
          siblings: path.map((one) => ({ ...one, hash: `0x${one.hash}` })),
        }
        expect(verifyAnchorProof(proof)).toEqual(agent)
      }),
      { numRuns: 30 },
    )
  })
})
