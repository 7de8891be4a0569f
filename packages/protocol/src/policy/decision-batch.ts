import { canonicalJson } from '../base/canonical-json.ts'
import { bytesToHex, hexToBytes, isHashHex } from '../base/encoding.ts'
import { inclusionPath, type PathItem, proofFromPath } from '../merkle/inclusion-path.ts'
import { leafHash, verifyInclusion } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'

/**
 * Decisions that are signed together: the statements are the leaves of an RFC 6962 tree, and one
 * signature covers its root. Each receipt carries the path from its statement to the root, so it
 * verifies alone (spec: decisions §2a).
 */

/** Signed with the root, so that a root of another kind of tree cannot pass for a batch. */
const BATCH_TYPE = 'touchstone.decisions'
const BATCH_VERSION = 2

const utf8 = new TextEncoder()

/** The signed part of a batch. */
export type BatchHead = {
  /** The time of signing. */
  at: string
  /** Hex. */
  root: string
  /** The number of decisions. */
  size: number
}

/** The place of one decision in its batch, as its receipt carries it. */
export type BatchPlace = BatchHead & { index: number; path: PathItem[] }

/** The object whose canonical JSON is signed. */
export function signedHead({ at, root, size }: BatchHead) {
  return { at, root, size, type: BATCH_TYPE, v: BATCH_VERSION }
}

/** The text to sign. */
export function batchPayload(head: BatchHead): string {
  return canonicalJson(signedHead(head))
}

/** The leaf of a decision; `payload` is the `decisionPayload` of its statement. */
export function decisionLeaf(payload: string): Uint8Array {
  return leafHash(utf8.encode(payload))
}

export type DecisionBatch = {
  head: BatchHead
  placeOf(index: number): BatchPlace
}

/** Builds the tree over the leaves of a batch. Throws a RangeError if there are none. */
export function createDecisionBatch(leaves: readonly Uint8Array[], at: string): DecisionBatch {
  if (leaves.length === 0) throw new RangeError('a batch must have at least one decision')
  const tree = createMerkleTree(leaves.length)
  for (const leaf of leaves) tree.append(leaf)
  const size = leaves.length
  const head = { at, root: bytesToHex(tree.root()), size }
  return {
    head,
    placeOf: (index) => ({
      ...head,
      index,
      path: inclusionPath({ index, size }, tree.inclusionProof(index)),
    }),
  }
}

/** Whether the path leads from the statement to the root. */
export function isInBatch(payload: string, { root, size, index, path }: BatchPlace): boolean {
  const proof = proofFromPath({ index, size }, path)
  if (proof === undefined || !isHashHex(root)) return false
  return verifyInclusion({ leaf: decisionLeaf(payload), index, size, proof }, hexToBytes(root))
}
