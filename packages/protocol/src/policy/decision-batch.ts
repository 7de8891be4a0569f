import { canonicalJson } from '../base/canonical-json.ts'
import { bytesToHex, hexToBytes, isHashHex, wordsToHex } from '../base/encoding.ts'
import { sha256Bytes } from '../crypto/hash.ts'
import { type PathItem, proofFromPath } from '../merkle/inclusion-path.ts'
import { HASH_BYTES, verifyInclusion } from '../merkle/merkle.ts'
import { hashPair, PAIR_WORDS } from '../merkle/node-hash.ts'

/**
 * Decisions that are signed together: the statements are the leaves of an RFC 6962 tree, and one
 * signature covers its root. Each receipt carries the path from its statement to the root, so it
 * verifies alone (spec: decisions §2a).
 */

/** Signed with the root, so that a root of another kind of tree cannot pass for a batch. */
const BATCH_TYPE = 'touchstone.decisions'
const BATCH_VERSION = 2

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

/**
 * The leaf of a decision; `payload` is the `decisionPayload` of its statement. A NUL in UTF-8 is the
 * prefix of a leaf, and hashing a text is faster than hashing bytes that have to be joined first.
 */
export function decisionLeaf(payload: string): Uint8Array {
  return sha256Bytes(`\0${payload}`)
}

export type DecisionBatch = {
  head: BatchHead
  placeOf(index: number): BatchPlace
}

/**
 * Builds the tree over the leaves of a batch. Throws a RangeError if there are none. Every receipt of the
 * batch is wanted, so each node is hashed and written in hex once, for all paths that it is on.
 */
export function createDecisionBatch(leaves: readonly Uint8Array[], at: string): DecisionBatch {
  if (leaves.length === 0) throw new RangeError('a batch must have at least one decision')
  const rows = rowsOf(leaves)
  const size = leaves.length
  const head = { at, root: rows.at(-1)?.[0] ?? '', size }
  return {
    head,

    placeOf(index) {
      if (index < 0 || index >= size) throw new RangeError(`a batch of ${size} has no ${index}`)
      const path: PathItem[] = []
      let own = index
      for (const row of rows) {
        const sibling = row[own ^ 1]
        // The last node of a row may have no sibling; it moves up unchanged.
        if (sibling !== undefined) {
          path.push({ hash: sibling, position: own % 2 === 0 ? 'right' : 'left' })
        }
        own >>= 1
      }
      return { ...head, index, path }
    },
  }
}

/** The rows of the tree in hex, from the leaves to the root: the same tree as that of RFC 6962. */
function rowsOf(leaves: readonly Uint8Array[]): string[][] {
  const pair = new Int32Array(PAIR_WORDS)
  const rows = [leaves.map(bytesToHex)]
  let row = leaves.map(hashWords)
  while (row.length > 1) {
    const above: Int32Array[] = []
    for (const [at, left] of row.entries()) {
      if (at % 2 === 1) continue
      const right = row[at + 1]
      if (right !== undefined) {
        pair.set(left)
        pair.set(right, HASH_WORDS)
        hashPair(pair)
      }
      above.push(right === undefined ? left : pair.slice(HASH_WORDS))
    }
    rows.push(above.map(wordsToHex))
    row = above
  }
  return rows
}

const HASH_WORDS = PAIR_WORDS / 2

function hashWords(hash: Uint8Array): Int32Array {
  if (hash.length !== HASH_BYTES) throw new TypeError('a leaf hash must have 32 bytes')
  const view = new DataView(hash.buffer, hash.byteOffset)
  return Int32Array.from({ length: HASH_WORDS }, (_, at) => view.getInt32(4 * at))
}

/** Whether the path leads from the statement to the root. */
export function isInBatch(payload: string, { root, size, index, path }: BatchPlace): boolean {
  const proof = proofFromPath({ index, size }, path)
  if (proof === undefined || !isHashHex(root)) return false
  return verifyInclusion({ leaf: decisionLeaf(payload), index, size, proof }, hexToBytes(root))
}
