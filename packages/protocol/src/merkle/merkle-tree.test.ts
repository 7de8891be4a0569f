import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { sha256Bytes } from '../crypto/hash.ts'
import { leafHash, merkleRoot, nodeHash, splitPoint, treeDepth } from './merkle.ts'
import {
  appendedNodes,
  consistencyProofFromNodes,
  inclusionProofFromNodes,
  type MerkleNode,
  type NodeId,
  nodeLookup,
  nodesForAppend,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
  rootFromEdge,
  rootFromNodes,
} from './merkle-nodes.ts'
import { createMerkleTree } from './merkle-tree.ts'
import { hashPair } from './node-hash.ts'
import { subtreeRoot } from './subtree-root.ts'

const SIZE_MAX = 300
const LEAVES = Array.from({ length: SIZE_MAX }, (_, i) => leafHash(sha256Bytes(`leaf ${i}`)))

/** PATH of RFC 6962 §2.1.1, transcribed literally. */
function path(m: number, leaves: Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return []
  const k = splitPoint(leaves.length)
  return m < k
    ? [...path(m, leaves.slice(0, k)), merkleRoot(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), merkleRoot(leaves.slice(0, k))]
}

/** SUBPROOF of RFC 6962 §2.1.2, transcribed literally. */
function subproof(m: number, leaves: Uint8Array[], whole: boolean): Uint8Array[] {
  if (m === leaves.length) return whole ? [] : [merkleRoot(leaves)]
  const k = splitPoint(leaves.length)
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), whole), merkleRoot(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), merkleRoot(leaves.slice(0, k))]
}

/** A store that works like a database: one query returns exactly the requested nodes. */
function createStore() {
  const rows = new Map<string, MerkleNode>()
  const name = ({ level, index }: NodeId) => `${level}/${index}`
  const fetched = (ids: NodeId[]): MerkleNode[] =>
    ids.map((id) => {
      const row = rows.get(name(id))
      if (row === undefined) throw new Error(`no row ${name(id)}`)
      return row
    })
  return {
    fetched,
    rows,
    append(size: number, leaf: Uint8Array): MerkleNode[] {
      const read = fetched(nodesForAppend(size))
      const created = appendedNodes(size, leaf, nodeLookup(read))
      for (const node of created) {
        // Complete nodes never change, so a row is only ever inserted.
        if (rows.has(name(node))) throw new Error(`row ${name(node)} written twice`)
        rows.set(name(node), node)
      }
      return [...read, ...created]
    },
  }
}

const store = createStore()
const tree = createMerkleTree()
for (const [i, leaf] of LEAVES.entries()) {
  store.append(i, leaf)
  tree.append(leaf)
}

describe('the tree by definition, in memory and over stored nodes', () => {
  it('has the same root at every size', () => {
    for (let size = 0; size <= SIZE_MAX; size++) {
      const root = merkleRoot(LEAVES.slice(0, size))
      expect(tree.root(size)).toEqual(root)
      const edge = store.fetched(nodesForRoot(size))
      expect(rootFromNodes(size, nodeLookup(edge))).toEqual(root)
      const hashes = edge.map(({ hash }) => hash)
      expect(rootFromEdge(size, hashes)).toEqual(root)
      expect(() => rootFromEdge(size, [...hashes, root])).toThrow(RangeError)
    }
  })

  it('gives the same proofs for every leaf and size up to 33', () => {
    for (let size = 1; size <= 33; size++) {
      for (let index = 0; index < size; index++) {
        expectSameInclusion(index, size)
        expectSameConsistency(index + 1, size)
      }
    }
  })

  it('gives the same proofs for arbitrary leaves and sizes', () => {
    const sizes = fc.integer({ min: 1, max: SIZE_MAX })
    const places = sizes.chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)))
    fc.assert(
      fc.property(places, ([index, size]) => {
        expectSameInclusion(index, size)
        expectSameConsistency(index + 1, size)
      }),
    )
  })

  it('has the same complete nodes in memory and in the store', () => {
    expect(store.rows.size).toBe(2 * SIZE_MAX - 4) // 300 = 0b100101100 has four set bits.
    for (const { level, index, hash } of store.rows.values()) {
      expect(tree.readNode(level, index)).toEqual(hash)
    }
  })
})

function expectSameInclusion(index: number, size: number): void {
  const expected = path(index, LEAVES.slice(0, size))
  const needed = nodesForInclusion(index, size)
  const lookup = nodeLookup(store.fetched(needed))
  expect(tree.inclusionProof(index, size)).toEqual(expected)
  expect(inclusionProofFromNodes({ index, size }, lookup)).toEqual(expected)
  expectFew(needed, size)
}

function expectSameConsistency(first: number, second: number): void {
  const expected = subproof(first, LEAVES.slice(0, second), true)
  const needed = nodesForConsistency(first, second)
  const lookup = nodeLookup(store.fetched(needed))
  expect(tree.consistencyProof(first, second)).toEqual(expected)
  expect(consistencyProofFromNodes({ first, second }, lookup)).toEqual(expected)
  expectFew(needed, second)
}

/** O(log n) nodes, all distinct and complete. */
function expectFew(needed: NodeId[], size: number): void {
  expect(needed.length).toBeLessThanOrEqual(2 * treeDepth(size))
  expect(new Set(needed.map(({ level, index }) => `${level}/${index}`)).size).toBe(needed.length)
  for (const { level, index } of needed) expect((index + 1) * 2 ** level).toBeLessThanOrEqual(size)
}

describe('an append over stored nodes', () => {
  it('reads at most one node per level and gives the new root and proof from those', () => {
    const fresh = createStore()
    for (const [i, leaf] of LEAVES.entries()) {
      expect(nodesForAppend(i).length).toBeLessThanOrEqual(treeDepth(i) + 1)
      const lookup = nodeLookup(fresh.append(i, leaf))
      expect(rootFromNodes(i + 1, lookup)).toEqual(tree.root(i + 1))
      const proof = inclusionProofFromNodes({ index: i, size: i + 1 }, lookup)
      expect(proof).toEqual(tree.inclusionProof(i, i + 1))
    }
  })

  it('needs few nodes even far beyond 32 bits', () => {
    const size = 2 ** 52 + 2 ** 33 + 1
    expect(nodesForAppend(size)).toEqual([
      { level: 52, index: 0 },
      { level: 33, index: 2 ** 19 },
      { level: 0, index: size - 1 },
    ])
    expect(nodesForInclusion(2 ** 40 + 5, size).length).toBeLessThan(60)
    expect(nodesForConsistency(2 ** 45 + 3, size).length).toBeLessThan(110)
  })

  it('throws if a needed node was not fetched', () => {
    expect(() => rootFromNodes(3, nodeLookup([]))).toThrow(RangeError)
    expect(() => rootFromEdge(3, [])).toThrow(RangeError)
  })
})

describe('an invalid request', () => {
  it.each([
    () => tree.root(SIZE_MAX + 1),
    () => tree.root(-1),
    () => tree.inclusionProof(0, SIZE_MAX + 1),
    () => tree.inclusionProof(5, 5),
    () => tree.inclusionProof(-1),
    () => tree.inclusionProof(0.5),
    () => tree.consistencyProof(0, 5),
    () => tree.consistencyProof(6, 5),
    () => tree.consistencyProof(5, SIZE_MAX + 1),
    () => tree.readNode(9, 0),
    () => tree.readNode(0, -1),
  ])('is rejected: %s', (ask) => {
    expect(ask).toThrow(RangeError)
  })

  it('is rejected if a leaf is not a 32-byte hash', () => {
    expect(() => createMerkleTree().append(new Uint8Array(31))).toThrow(TypeError)
  })
})

describe('the tree in memory', () => {
  it('is unaffected by changes to its inputs and outputs', () => {
    const own = createMerkleTree()
    const leaf = Uint8Array.from(LEAVES[0] ?? [])
    own.append(leaf)
    leaf.fill(0)
    own.root().fill(0)
    expect(own.root()).toEqual(LEAVES[0])
  })

  it('keeps its nodes across many blocks', () => {
    const large = createMerkleTree()
    for (let i = 0; i < 5000; i++) large.append(LEAVES[i % SIZE_MAX] ?? new Uint8Array())
    const leaves = Array.from({ length: 5000 }, (_, i) => LEAVES[i % SIZE_MAX] ?? new Uint8Array())
    expect(large.size).toBe(5000)
    expect(large.root()).toEqual(merkleRoot(leaves))
    expect(large.inclusionProof(4321)).toEqual(path(4321, leaves))
  })
})

describe('a tree whose number of leaves is expected', () => {
  it('is the same, however many leaves come', () => {
    const leaves = LEAVES.slice(0, 40)
    for (const expected of [0, 1, 3, 39, 40, 41, 100_000]) {
      const own = createMerkleTree(expected)
      for (const leaf of leaves) own.append(leaf)
      expect(own.root()).toEqual(merkleRoot(leaves))
      expect(own.inclusionProof(37)).toEqual(path(37, leaves))
    }
  })
})

describe('hashPair', () => {
  it('matches the SHA-256 of node:crypto for any two hashes', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(hash, hash, (left, right) => {
        const input = Buffer.concat([left, right])
        const pair = Int32Array.from({ length: 16 }, (_, i) => input.readInt32BE(4 * i))
        hashPair(pair)
        const output = Buffer.alloc(32)
        for (let i = 0; i < 8; i++) output.writeInt32BE(pair[8 + i] ?? 0, 4 * i)
        const expected = createHash('sha256').update(Uint8Array.of(1)).update(input).digest()
        expect(output.equals(expected)).toBe(true)
        expect(output.equals(nodeHash(left, right))).toBe(true)
      }),
      runs(1000),
    )
  })
})

describe('subtreeRoot', () => {
  it('is the root over any power of two of leaves', () => {
    for (let size = 1; size <= SIZE_MAX; size *= 2) {
      expect(subtreeRoot(LEAVES.slice(0, size))).toEqual(merkleRoot(LEAVES.slice(0, size)))
    }
  })

  it('rejects other numbers of hashes, and hashes of another length', () => {
    for (const size of [0, 3, 255]) {
      expect(() => subtreeRoot(LEAVES.slice(0, size))).toThrow(RangeError)
    }
    expect(() => subtreeRoot([new Uint8Array(31)])).toThrow(TypeError)
  })
})
