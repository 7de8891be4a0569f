import { DIGEST_BYTES, sha256 } from './sha256.ts'

/**
 * Merkle trees over a power-of-two number of leaves, with multi-leaf openings: a sibling that
 * several paths share is sent once, and one that can be computed is not sent. Prefixes separate
 * leaves from nodes.
 */
const LEAF_PREFIX = 0
const NODE_PREFIX = 1

export type MerkleTree = {
  root: Uint8Array
  /** The siblings needed to compute the root from these leaves, in the order of use. */
  open(indices: readonly number[]): Uint8Array[]
}

export function hashLeaf(content: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + content.length)
  input[0] = LEAF_PREFIX
  input.set(content, 1)
  return sha256(input)
}

const node = new Uint8Array(1 + 2 * DIGEST_BYTES).fill(NODE_PREFIX, 0, 1)

function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1)
  node.set(right, 1 + DIGEST_BYTES)
  return sha256(node)
}

const EMPTY = new Uint8Array(DIGEST_BYTES)

export function createMerkleTree(leaves: readonly Uint8Array[]): MerkleTree {
  const levels: Uint8Array[][] = [[...leaves]]
  for (let level = levels[0] ?? []; level.length > 1; level = levels.at(-1) ?? []) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      above.push(hashNode(level[i] ?? EMPTY, level[i + 1] ?? EMPTY))
    }
    levels.push(above)
  }
  return {
    root: levels.at(-1)?.[0] ?? EMPTY,
    open: (indices) => {
      const siblings: Uint8Array[] = []
      climb(indices, levels.length - 1, (level, index) => {
        siblings.push(levels[level]?.[index] ?? EMPTY)
      })
      return siblings
    },
  }
}

/** Visits each sibling that cannot be computed from the opened leaves. Indices must ascend. */
function climb(
  indices: readonly number[],
  depth: number,
  visit: (level: number, index: number) => void,
): void {
  let known = indices
  for (let level = 0; level < depth; level += 1) {
    const present = new Set(known)
    for (const index of known) if (!present.has(index ^ 1)) visit(level, index ^ 1)
    known = [...new Set(known.map((index) => index >> 1))]
  }
}

/** The number of siblings in an opening of these leaves. */
export function countSiblings(indices: readonly number[], depth: number): number {
  let count = 0
  climb(indices, depth, () => {
    count += 1
  })
  return count
}

export type Opening = {
  /** Ascending and unique. */
  indices: readonly number[]
  /** The digest of each opened leaf. */
  leaves: readonly Uint8Array[]
  siblings: readonly Uint8Array[]
  depth: number
}

/** Computes the root from an opening. The caller has checked the number of siblings. */
export function rootOf({ indices, leaves, siblings, depth }: Opening): Uint8Array {
  let known = new Map(indices.map((index, i) => [index, leaves[i] ?? EMPTY]))
  let used = 0
  for (let level = 0; level < depth; level += 1) {
    const above = new Map<number, Uint8Array>()
    for (const [index, digest] of known) {
      if (above.has(index >> 1)) continue
      let other = known.get(index ^ 1)
      if (other === undefined) {
        other = siblings[used] ?? EMPTY
        used += 1
      }
      const [left, right] = index % 2 === 0 ? [digest, other] : [other, digest]
      above.set(index >> 1, hashNode(left, right))
    }
    known = above
  }
  return known.get(0) ?? EMPTY
}
