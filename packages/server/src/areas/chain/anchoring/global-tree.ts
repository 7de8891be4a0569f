import { type AnchoredAgent, anchorLeaf } from '@touchstone/protocol/chain'
import {
  createMerkleTree,
  inclusionPath,
  merkleRoot,
  type PathItem,
  treeDepth,
} from '@touchstone/protocol/merkle'

/**
 * The tree of an automatic anchor, one leaf per agent. It is stored in chunks of 256 leaves.
 * INVARIANT: every chunk but the last is a complete subtree, so the root over the roots of the
 * chunks is the root over all leaves (RFC 6962 §2.1), and a path leads through one chunk and then
 * through the roots.
 */
export const CHUNK_LEAVES = 256

export type Chunk = { leaves: readonly Uint8Array[]; root: Uint8Array }

export type GlobalTree = {
  chunks: readonly Chunk[]
  root: Uint8Array
  leafCount: number
  treeDepth: number
}

export function globalTree(agents: readonly AnchoredAgent[]): GlobalTree {
  const leaves = agents.map(anchorLeaf)
  const chunks: Chunk[] = []
  for (let at = 0; at < leaves.length; at += CHUNK_LEAVES) {
    const part = leaves.slice(at, at + CHUNK_LEAVES)
    chunks.push({ leaves: part, root: merkleRoot(part) })
  }
  const root = merkleRoot(chunks.map((chunk) => chunk.root))
  return { chunks, root, leafCount: leaves.length, treeDepth: treeDepth(leaves.length) }
}

/** From the leaf to the root. */
export function globalPath(
  { position, leafCount }: { position: number; leafCount: number },
  chunk: readonly Uint8Array[],
  chunkRoots: readonly Uint8Array[],
): PathItem[] {
  const inChunk = pathIn(chunk, position % CHUNK_LEAVES)
  const above = pathIn(chunkRoots, Math.floor(position / CHUNK_LEAVES))
  return inclusionPath({ index: position, size: leafCount }, [...inChunk, ...above])
}

function pathIn(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  const tree = createMerkleTree()
  for (const leaf of leaves) tree.append(leaf)
  return tree.inclusionProof(index)
}
