import { HASH_BYTES } from './merkle.ts'
import {
  consistencyProofFromNodes,
  inclusionProofFromNodes,
  type ReadNode,
  rootFromNodes,
} from './merkle-nodes.ts'
import { hashPair, PAIR_WORDS } from './node-hash.ts'

/**
 * An append-only Merkle tree in memory: 64 bytes per leaf, about one hash per append.
 * || All complete nodes are stored in one sequence, in the order in which they become complete:
 * each leaf, followed by the parents it completes. So an append only writes at the end, a left
 * sibling is a fixed distance back, and no node moves. The sequence is split into blocks, because
 * one growing array would have to be copied and could be half empty.
 */
export type MerkleTree = {
  readonly size: number
  /** Appends a leaf hash and returns its index. */
  append(leaf: Uint8Array): number
  /** The root of the first `size` leaves, by default of all. */
  root(size?: number): Uint8Array
  inclusionProof(index: number, size?: number): Uint8Array[]
  consistencyProof(first: number, second?: number): Uint8Array[]
  readNode: ReadNode
}

const NODE_WORDS = 8
const BLOCK_NODES_MAX = 1024
/** The 32-bit arithmetic below needs positions below 2^31, and there are two nodes per leaf. */
const LEAVES_MAX = 2 ** 30

/**
 * `leavesExpected` is the number of leaves, if it is known: a small tree then takes little memory. More
 * can be appended nevertheless.
 */
export function createMerkleTree(leavesExpected = BLOCK_NODES_MAX): MerkleTree {
  const nodes = createNodeRow(Math.min(2 * Math.max(leavesExpected, 1), BLOCK_NODES_MAX))
  const pair = new Int32Array(PAIR_WORDS)
  let size = 0

  const readNode: ReadNode = (level, index) => {
    const end = (index + 1) * 2 ** level
    if (index < 0 || end > size) throw new RangeError(`Merkle node ${level}/${index} is incomplete`)
    return nodes.bytes(positionOf(level, end - 1))
  }
  const assertHeld = (asked: number) => {
    if (asked > size) throw new RangeError(`the tree has only ${size} leaves, not ${asked}`)
  }

  return {
    get size() {
      return size
    },
    readNode,
    append(leaf) {
      if (leaf.length !== HASH_BYTES) throw new TypeError('a leaf hash must have 32 bytes')
      if (size >= LEAVES_MAX) throw new RangeError('the tree is full')
      loadRight(pair, leaf)
      let position = nodes.push(pair)
      // Each trailing one bit of the old size is a left sibling waiting for its right sibling.
      for (let width = 1; size & width; width *= 2) {
        nodes.loadLeft(pair, position - (2 * width - 1))
        hashPair(pair)
        position = nodes.push(pair)
      }
      size += 1
      return size - 1
    },
    root(at = size) {
      assertHeld(at)
      return rootFromNodes(at, readNode)
    },
    inclusionProof(index, at = size) {
      assertHeld(at)
      return inclusionProofFromNodes({ index, size: at }, readNode)
    },
    consistencyProof(first, second = size) {
      assertHeld(second)
      return consistencyProofFromNodes({ first, second }, readNode)
    },
  }
}

/** The position of the node completed by its last leaf; 2i − ones(i) nodes precede leaf i. */
function positionOf(level: number, lastLeaf: number): number {
  let ones = 0
  for (let rest = lastLeaf; rest > 0; rest &= rest - 1) ones += 1
  return 2 * lastLeaf - ones + level
}

function createNodeRow(blockNodes: number) {
  const blocks: Int32Array[] = []
  let block = new Int32Array(0)
  let length = 0
  const blockOf = (position: number): Int32Array =>
    blocks[Math.floor(position / blockNodes)] ?? block
  return {
    /** Appends the right half of a pair and returns its position. */
    push(pair: Int32Array): number {
      const slot = length % blockNodes
      if (slot === 0) {
        block = new Int32Array(blockNodes * NODE_WORDS)
        blocks.push(block)
      }
      const start = slot * NODE_WORDS
      for (let i = 0; i < NODE_WORDS; i++) block[start + i] = pair[NODE_WORDS + i] ?? 0
      length += 1
      return length - 1
    },
    /** Copies a node into the left half of a pair. */
    loadLeft(pair: Int32Array, position: number): void {
      const source = blockOf(position)
      const start = (position % blockNodes) * NODE_WORDS
      for (let i = 0; i < NODE_WORDS; i++) pair[i] = source[start + i] ?? 0
    },
    bytes(position: number): Uint8Array {
      const source = blockOf(position)
      const start = (position % blockNodes) * NODE_WORDS
      const hash = new Uint8Array(HASH_BYTES)
      const view = new DataView(hash.buffer)
      for (let i = 0; i < NODE_WORDS; i++) view.setInt32(4 * i, source[start + i] ?? 0)
      return hash
    },
  }
}

function loadRight(pair: Int32Array, hash: Uint8Array): void {
  for (let i = 0; i < NODE_WORDS; i++) {
    const at = 4 * i
    pair[NODE_WORDS + i] =
      ((hash[at] ?? 0) << 24) |
      ((hash[at + 1] ?? 0) << 16) |
      ((hash[at + 2] ?? 0) << 8) |
      (hash[at + 3] ?? 0)
  }
}
