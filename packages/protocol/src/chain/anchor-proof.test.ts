import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../base/encoding.ts'
import { inclusionPath } from '../merkle/inclusion-path.ts'
import { merkleRoot, treeDepth } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import {
  type AnchoredAgent,
  type AnchorProof,
  anchorLeaf,
  anchorLeafData,
  verifyAnchorProof,
} from './anchor-proof.ts'

type Vectors = {
  anchor: {
    agents: { agent_id: string; merkle_root: string; checkpoint_count: number }[]
    roots: { leaves: number; root: string; depth: number }[]
  }
}

const file = new URL('../../../../vectors/chain/encodings.json', import.meta.url)
const { anchor }: Vectors = JSON.parse(readFileSync(file, 'utf8'))
const agents = anchor.agents.map((agent) => ({
  agentId: agent.agent_id,
  merkleRoot: agent.merkle_root,
  checkpointCount: agent.checkpoint_count,
}))

function proofOf(all: readonly AnchoredAgent[], index: number): AnchorProof {
  const leaves = all.map(anchorLeaf)
  const tree = createMerkleTree()
  for (const leaf of leaves) tree.append(leaf)
  const agent = all[index]
  if (agent === undefined) throw new Error('no such agent')
  const path = inclusionPath({ index, size: all.length }, tree.inclusionProof(index))
  return {
    merkle_root: `0x${bytesToHex(merkleRoot(leaves))}`,
    agent_id: agent.agentId,
    leaf: `0x${bytesToHex(anchorLeaf(agent))}`,
    leaf_preimage: anchorLeafData(agent),
    siblings: path.map(({ hash, position }) => ({ hash: `0x${hash}`, position })),
  }
}

const someAgents = fc.uniqueArray(
  fc.record({
    agentId: fc.stringMatching(/^[a-z0-9|-]{1,20}$/),
    merkleRoot: fc.stringMatching(/^[0-9a-f]{64}$/),
    checkpointCount: fc.integer({ min: 1, max: 1_000_000 }),
  }),
  { minLength: 1, maxLength: 30, selector: ({ agentId }) => agentId },
)

describe('the tree of an automatic anchor', () => {
  it('has the roots and depths of the vectors', () => {
    for (const { leaves, root, depth } of anchor.roots) {
      expect(bytesToHex(merkleRoot(agents.slice(0, leaves).map(anchorLeaf)))).toBe(root)
      expect(treeDepth(leaves)).toBe(depth)
    }
  })

  it('has a proof for every agent in it', () => {
    fc.assert(
      fc.property(someAgents, fc.nat(), (all, at) => {
        const index = at % all.length
        expect(verifyAnchorProof(proofOf(all, index))).toEqual(all[index])
      }),
    )
  })

  it('rejects a proof if any character is changed', () => {
    fc.assert(
      fc.property(someAgents, fc.nat(), fc.nat(), (all, at, place) => {
        const text = JSON.stringify(proofOf(all, at % all.length))
        const from = place % text.length
        const changed = text.slice(0, from) + flipped(text[from]) + text.slice(from + 1)
        fc.pre(changed !== text)
        expect(verifyText(changed)).toBeUndefined()
      }),
    )
  })

  it('rejects a proof for another agent', () => {
    const proof = proofOf(agents, 1)
    expect(verifyAnchorProof({ ...proof, agent_id: 'agent-7f8a9b2c' })).toBeUndefined()
  })
})

function flipped(character: string | undefined): string {
  return character === '1' ? '2' : '1'
}

/** Undefined also for text that is not a proof at all. */
function verifyText(text: string): AnchoredAgent | undefined {
  try {
    return verifyAnchorProof(JSON.parse(text))
  } catch {
    return undefined
  }
}
