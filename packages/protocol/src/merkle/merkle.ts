import { equalBytes } from '../base/encoding.ts'
import { sha256Bytes } from '../crypto/hash.ts'

/**
 * The Merkle tree of RFC 6962 §2.1 by its definition, and the verification of its proofs by the
 * algorithms of RFC 9162 §2.1, which need only the proof, the sizes and the roots.
 * || A root does not commit to the number of its leaves, and some neighbouring sizes share the
 * shape of a path. A size must therefore come from the same signed statement as its root.
 */

export const HASH_BYTES = 32

/** Different first bytes, so that a node can never pass for a leaf (RFC 6962 §2.1). */
const LEAF_PREFIX = Uint8Array.of(0x00)
const NODE_PREFIX = 0x01

/** The side of the path that a sibling is on. */
export type Side = 'left' | 'right'

export type InclusionClaim = {
  /** The leaf hash, not the hashed data. */
  leaf: Uint8Array
  index: number
  size: number
  /** From the leaf to the root. */
  proof: readonly Uint8Array[]
}

export type ConsistencyClaim = {
  first: number
  second: number
  firstRoot: Uint8Array
  secondRoot: Uint8Array
  proof: readonly Uint8Array[]
}

export function leafHash(data: Uint8Array): Uint8Array {
  const input = new Uint8Array(data.length + 1)
  input.set(LEAF_PREFIX)
  input.set(data, 1)
  return sha256Bytes(input)
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (!isHash(left) || !isHash(right))
    throw new TypeError('a tree node must join two 32-byte hashes')
  const input = new Uint8Array(1 + 2 * HASH_BYTES)
  input[0] = NODE_PREFIX
  input.set(left, 1)
  input.set(right, 1 + HASH_BYTES)
  return sha256Bytes(input)
}

export function emptyRoot(): Uint8Array {
  return sha256Bytes('')
}

/**
 * MTH of RFC 6962 over leaf hashes, by its definition: short, and the reference for the faster
 * versions.
 */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves
  if (only === undefined) return emptyRoot()
  if (leaves.length === 1) return only
  const split = splitPoint(leaves.length)
  return nodeHash(merkleRoot(leaves.slice(0, split)), merkleRoot(leaves.slice(split)))
}

/** The number of levels above the leaves: 0 for up to one leaf, otherwise ceil(log2(size)). */
export function treeDepth(size: number): number {
  let depth = 0
  for (let width = 1; width < size; width *= 2) depth += 1
  return depth
}

/** The largest power of two below the size, where RFC 6962 splits a tree of two or more leaves. */
export function splitPoint(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/**
 * The sides of the siblings on the path from a leaf to the root: the shape of its inclusion proof.
 * Undefined if the leaf does not exist.
 */
export function siblingSides(index: number, size: number): Side[] | undefined {
  if (!isCount(index) || !isCount(size) || index >= size) return undefined
  const sides: Side[] = []
  let step: Step = { at: index, last: size - 1 }
  while (step.last > 0) {
    sides.push(sideOf(step))
    step = rise(step)
  }
  return sides
}

/** The root that the path leads to; undefined if the proof does not have the shape of that path. */
export function rootFromInclusion(claim: InclusionClaim): Uint8Array | undefined {
  const { leaf, index, size, proof } = claim
  const sides = siblingSides(index, size)
  if (sides?.length !== proof.length || !isHash(leaf) || !proof.every(isHash)) return undefined
  return proof.reduce(
    (hash, sibling, i) => (sides[i] === 'left' ? nodeHash(sibling, hash) : nodeHash(hash, sibling)),
    leaf,
  )
}

export function verifyInclusion(claim: InclusionClaim, root: Uint8Array): boolean {
  const reached = rootFromInclusion(claim)
  return reached !== undefined && equalBytes(reached, root)
}

/** Whether the first tree is a prefix of the second. An empty first tree is never accepted. */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  const { first, second, firstRoot, secondRoot, proof } = claim
  if (!isCount(first) || !isCount(second) || first < 1 || first > second) return false
  if (![firstRoot, secondRoot, ...proof].every(isHash)) return false
  if (first === second) return proof.length === 0 && equalBytes(firstRoot, secondRoot)
  const reached = rootsFromConsistency(claim)
  return (
    reached !== undefined &&
    equalBytes(reached.first, firstRoot) &&
    equalBytes(reached.second, secondRoot)
  )
}

/** RFC 9162 §2.1.4.2, steps 1 to 6, for first < second. */
function rootsFromConsistency(claim: ConsistencyClaim) {
  const { first, second, firstRoot, proof } = claim
  if (proof.length === 0) return undefined
  let step: Step = { at: first - 1, last: second - 1 }
  while (isOdd(step.at)) step = halve(step)
  // If the first tree is one complete subtree, its root is the start and is omitted from the proof.
  const [start, ...rest] = step.at === 0 ? [firstRoot, ...proof] : proof
  if (start === undefined) return undefined
  const reached = { first: start, second: start }
  for (const sibling of rest) {
    if (step.last === 0) return undefined
    if (sideOf(step) === 'left') {
      reached.first = nodeHash(sibling, reached.first)
      reached.second = nodeHash(sibling, reached.second)
    } else {
      reached.second = nodeHash(reached.second, sibling)
    }
    step = rise(step)
  }
  return step.last === 0 ? reached : undefined
}

/**
 * A position on the way up: a node's index on its level, and the index of the level's last node.
 */
type Step = { at: number; last: number }

function sideOf({ at, last }: Step): Side {
  return isOdd(at) || at === last ? 'left' : 'right'
}

/** Moves to the parent. The last node of a level rises until it has a sibling. */
function rise(step: Step): Step {
  let place = step
  if (sideOf(step) === 'left') {
    while (!isOdd(place.at) && place.at > 0) place = halve(place)
  }
  return halve(place)
}

function halve({ at, last }: Step): Step {
  return { at: Math.floor(at / 2), last: Math.floor(last / 2) }
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === HASH_BYTES
}

/** Sizes may exceed 2^32, where bitwise operators would truncate. */
function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function isOdd(value: number): boolean {
  return value % 2 === 1
}
