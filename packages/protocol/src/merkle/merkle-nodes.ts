import { emptyRoot, nodeHash, splitPoint } from './merkle.ts'

/**
 * The Merkle tree over stored nodes. A node (level, index) covers the leaves from index·2^level up
 * to the next multiple of 2^level; it is stored once all of them exist, and never changes
 * afterwards. Each nodesForX function lists the O(log n) nodes that an operation needs, so that a
 * store can fetch them with one query; the operation then runs on a lookup of the fetched nodes.
 */

export type NodeId = { level: number; index: number }
export type MerkleNode = NodeId & { hash: Uint8Array }

/** Throws if the node was not fetched: a missing node must never result in a wrong proof. */
export type ReadNode = (level: number, index: number) => Uint8Array

/** Leaves from start (inclusive) to end (exclusive). */
type Range = { start: number; end: number }

/** A lookup of fetched or newly created nodes. */
export function nodeLookup(nodes: Iterable<MerkleNode>): ReadNode {
  const hashes = new Map<string, Uint8Array>()
  for (const { level, index, hash } of nodes) hashes.set(`${level}/${index}`, hash)
  return (level, index) => {
    const hash = hashes.get(`${level}/${index}`)
    if (hash === undefined) throw new RangeError(`Merkle node ${level}/${index} was not fetched`)
    return hash
  }
}

/** The complete subtrees that make up a tree of this size, left to right. */
export function nodesForRoot(size: number): NodeId[] {
  assertCount(size)
  return subtreesOf({ start: 0, end: size })
}

/**
 * The nodes needed to append leaf number `size`: the right edge of the current tree. Together with
 * the appended nodes they also give the new root and the new leaf's inclusion proof.
 */
export function nodesForAppend(size: number): NodeId[] {
  return nodesForRoot(size)
}

export function nodesForInclusion(index: number, size: number): NodeId[] {
  return inclusionRanges(index, size).flatMap(subtreesOf)
}

export function nodesForConsistency(first: number, second: number): NodeId[] {
  return consistencyRanges(first, second).flatMap(subtreesOf)
}

/** The nodes completed by leaf number `size`: the leaf itself, then its ancestors. */
export function appendedNodes(size: number, leaf: Uint8Array, readNode: ReadNode): MerkleNode[] {
  assertCount(size)
  const nodes: MerkleNode[] = [{ level: 0, index: size, hash: leaf }]
  let { index, hash } = { index: size, hash: leaf }
  for (let level = 0; index % 2 === 1; level++) {
    hash = nodeHash(readNode(level, index - 1), hash)
    index = (index - 1) / 2
    nodes.push({ level: level + 1, index, hash })
  }
  return nodes
}

export function rootFromNodes(size: number, readNode: ReadNode): Uint8Array {
  assertCount(size)
  return size === 0 ? emptyRoot() : hashOf({ start: 0, end: size }, readNode)
}

/** Computes the root from the hashes of `nodesForRoot` alone, left to right. */
export function rootFromEdge(size: number, edge: readonly Uint8Array[]): Uint8Array {
  assertCount(size)
  if (edge.length !== subtreeCount(size)) {
    throw new RangeError(
      `expected the subtrees of a tree of ${size} leaves, got ${edge.length} hashes`,
    )
  }
  return size === 0 ? emptyRoot() : edge.reduceRight((right, left) => nodeHash(left, right))
}

/** One subtree for each set bit. */
function subtreeCount(size: number): number {
  let count = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2
  return count
}

/** PATH of RFC 6962 §2.1.1, from the leaf to the root. */
export function inclusionProofFromNodes(
  { index, size }: { index: number; size: number },
  readNode: ReadNode,
): Uint8Array[] {
  return inclusionRanges(index, size).map((range) => hashOf(range, readNode))
}

/** PROOF of RFC 6962 §2.1.2. */
export function consistencyProofFromNodes(
  { first, second }: { first: number; second: number },
  readNode: ReadNode,
): Uint8Array[] {
  return consistencyRanges(first, second).map((range) => hashOf(range, readNode))
}

function inclusionRanges(index: number, size: number): Range[] {
  assertCount(size)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new RangeError(`leaf ${index} does not exist in a tree of ${size}`)
  }
  const ranges: Range[] = []
  let { start, end } = { start: 0, end: size }
  while (end - start > 1) {
    const split = start + splitPoint(end - start)
    if (index < split) {
      ranges.push({ start: split, end })
      end = split
    } else {
      ranges.push({ start, end: split })
      start = split
    }
  }
  return ranges.reverse()
}

function consistencyRanges(first: number, second: number): Range[] {
  assertCount(second)
  if (!Number.isSafeInteger(first) || first < 1 || first > second) {
    throw new RangeError(`no consistency proof exists from ${first} to ${second} leaves`)
  }
  const ranges: Range[] = []
  let { start, end } = { start: 0, end: second }
  while (end !== first) {
    const split = start + splitPoint(end - start)
    if (first <= split) {
      ranges.push({ start: split, end })
      end = split
    } else {
      ranges.push({ start, end: split })
      start = split
    }
  }
  // The remaining range is the right end of the first tree. If it is the whole tree, the verifier
  // knows its root.
  if (start > 0) ranges.push({ start, end })
  return ranges.reverse()
}

/**
 * INVARIANT: a range that RFC 6962 cuts out begins at a multiple of the power of two that contains
 * it, so its binary digits, highest first, give the complete subtrees that it consists of.
 */
function subtreesOf({ start, end }: Range): NodeId[] {
  const nodes: NodeId[] = []
  let at = start
  while (at < end) {
    let level = 0
    let width = 1
    while (at + 2 * width <= end) {
      level += 1
      width *= 2
    }
    nodes.push({ level, index: at / width })
    at += width
  }
  return nodes
}

function hashOf(range: Range, readNode: ReadNode): Uint8Array {
  return subtreesOf(range)
    .map(({ level, index }) => readNode(level, index))
    .reduceRight((right, left) => nodeHash(left, right))
}

function assertCount(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0)
    throw new RangeError(`${size} is not a valid tree size`)
}
