import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../base/encoding.ts'
import { sha256Bytes } from '../crypto/hash.ts'
import { inclusionPath, proofFromPath } from './inclusion-path.ts'
import {
  leafHash,
  merkleRoot,
  nodeHash,
  rootFromInclusion,
  siblingSides,
  treeDepth,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'
import { createMerkleTree } from './merkle-tree.ts'

type TreeVectors = {
  leaf_data: string[]
  leaf_hashes: string[]
  roots: { size: number; root: string; tree_depth: number }[]
  inclusion: { index: number; size: number; path: { hash: string; position: string }[] }[]
  consistency: { first: number; second: number; proof: string[] }[]
}
const file = new URL('../../../../vectors/attestation/tree.json', import.meta.url)
const vectors: TreeVectors = JSON.parse(readFileSync(file, 'utf8'))

const LEAVES = Array.from({ length: 300 }, (_, i) => leafHash(sha256Bytes(`leaf ${i}`)))
const TREE = createMerkleTree()
for (const leaf of LEAVES) TREE.append(leaf)
const leafAt = (i: number) => LEAVES[i] ?? new Uint8Array()

describe('the published tree', () => {
  const leaves = vectors.leaf_data.map((data) => leafHash(new TextEncoder().encode(data)))
  const rootOf = (size: number) => merkleRoot(leaves.slice(0, size))

  it('has the leaves, roots and depths of the vectors', () => {
    expect(leaves.map(bytesToHex)).toEqual(vectors.leaf_hashes)
    for (const { size, root, tree_depth } of vectors.roots) {
      expect(bytesToHex(rootOf(size))).toBe(root)
      expect(treeDepth(size)).toBe(tree_depth)
    }
  })

  it('has the roots and proofs of the specification', () => {
    expect(bytesToHex(rootOf(1))).toMatch(/^c67f9ffe68e07610/)
    expect(bytesToHex(rootOf(3))).toMatch(/^c64c5b9326951a2d/)
    expect(bytesToHex(rootOf(7))).toMatch(/^73a590fb266b8155/)
    const tree = createMerkleTree()
    for (const leaf of leaves) tree.append(leaf)
    const start = ({ hash, position }: { hash: string; position: string }) =>
      `${position} ${hash.slice(0, 8)}`
    expect(inclusionPath({ index: 4, size: 7 }, tree.inclusionProof(4)).map(start)).toEqual([
      'right 6d1bb6bb',
      'right d750ca92',
      'left 8df3870b',
    ])
    expect(tree.consistencyProof(3).map((hash) => bytesToHex(hash).slice(0, 8))).toEqual([
      'f366df47',
      '5e0c4e11',
      '46c78708',
      '3cf05ff1',
    ])
  })

  it('verifies with every inclusion path of the vectors', () => {
    for (const { index, size, path } of vectors.inclusion) {
      const proof = proofFromPath({ index, size }, path) ?? []
      const leaf = leaves[index] ?? new Uint8Array()
      expect(verifyInclusion({ leaf, index, size, proof }, rootOf(size))).toBe(true)
    }
  })

  it('verifies with every consistency proof of the vectors', () => {
    for (const { first, second, proof } of vectors.consistency) {
      const claim = { first, second, firstRoot: rootOf(first), secondRoot: rootOf(second) }
      expect(verifyConsistency({ ...claim, proof: proof.map(hexToBytes) })).toBe(true)
    }
  })
})

describe('treeDepth', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 2],
    [347, 9],
    [1024, 10],
    [1025, 11],
    [2 ** 32, 32],
    [2 ** 32 + 1, 33],
  ])('of %i leaves is %i', (size, depth) => {
    expect(treeDepth(size)).toBe(depth)
  })
})

describe('nodeHash', () => {
  it('rejects anything but two hashes, so that no node is ambiguous', () => {
    const hash = new Uint8Array(32)
    for (const wrong of [new Uint8Array(31), new Uint8Array(33), new Uint8Array()]) {
      expect(() => nodeHash(wrong, hash)).toThrow(TypeError)
      expect(() => nodeHash(hash, wrong)).toThrow(TypeError)
    }
  })
})

/** Every hash that differs from the given one in one bit. */
function* flips(hash: Uint8Array): Generator<Uint8Array> {
  for (let bit = 0; bit < 8 * hash.length; bit++) {
    const flipped = Uint8Array.from(hash)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    yield flipped
  }
}

/** Every way to corrupt a list of hashes: a flipped bit, or a hash missing, added or moved. */
function* spoiled(proof: readonly Uint8Array[]): Generator<Uint8Array[]> {
  for (const [i, hash] of proof.entries()) {
    for (const flipped of flips(hash)) yield proof.with(i, flipped)
    yield proof.toSpliced(i, 1)
    yield proof.toSpliced(i, 0, hash)
    yield proof.with(i, hash.subarray(0, 31))
    yield proof.with(i, Uint8Array.of(...hash, 0))
    const next = proof[i + 1]
    if (next !== undefined) yield proof.with(i, next).with(i + 1, hash)
  }
  yield [...proof, new Uint8Array(32)]
  yield [new Uint8Array(32), ...proof]
}

const size = fc.integer({ min: 1, max: 300 })

describe('an inclusion proof', () => {
  const place = size.chain((n) => fc.record({ size: fc.constant(n), index: fc.nat(n - 1) }))
  const claimOf = ({ index, size }: { index: number; size: number }) => {
    return { leaf: leafAt(index), index, size, proof: TREE.inclusionProof(index, size) }
  }

  it('fails with any flipped bit in leaf, root or proof, and at any other length', () => {
    fc.assert(
      fc.property(place, (at) => {
        const claim = claimOf(at)
        const root = TREE.root(at.size)
        expect(verifyInclusion(claim, root)).toBe(true)
        for (const leaf of flips(claim.leaf)) {
          expect(verifyInclusion({ ...claim, leaf }, root)).toBe(false)
        }
        for (const other of flips(root)) expect(verifyInclusion(claim, other)).toBe(false)
        for (const proof of spoiled(claim.proof)) {
          expect(verifyInclusion({ ...claim, proof }, root)).toBe(false)
        }
      }),
      { numRuns: 12 },
    )
  })

  it('fails for any other index', () => {
    fc.assert(
      fc.property(place, (at) => {
        const claim = claimOf(at)
        const root = TREE.root(at.size)
        for (let index = -1; index <= at.size; index++) {
          expect(verifyInclusion({ ...claim, index }, root)).toBe(index === at.index)
        }
      }),
      { numRuns: 12 },
    )
  })

  it('fails for any other size with its root, and for any size with a different path shape', () => {
    fc.assert(
      fc.property(place, (at) => {
        const claim = claimOf(at)
        const sides = JSON.stringify(siblingSides(at.index, at.size))
        for (let other = 0; other <= 300; other++) {
          if (other === at.size) continue
          const moved = { ...claim, size: other }
          expect(verifyInclusion(moved, TREE.root(other))).toBe(false)
          const sameShape = JSON.stringify(siblingSides(at.index, other)) === sides
          expect(verifyInclusion(moved, TREE.root(at.size))).toBe(sameShape)
        }
      }),
      { numRuns: 20 },
    )
  })

  it.each([
    [0, 0],
    [-1, 5],
    [5, 5],
    [0.5, 5],
    [0, 1.5],
    [Number.NaN, 5],
    [0, Number.POSITIVE_INFINITY],
    [0, 2 ** 53],
  ])('never verifies for index %d of %d', (index, size) => {
    const leaf = leafAt(0)
    expect(siblingSides(index, size)).toBeUndefined()
    expect(rootFromInclusion({ leaf, index, size, proof: [] })).toBeUndefined()
    expect(verifyInclusion({ leaf, index, size, proof: [] }, leaf)).toBe(false)
  })

  it('has the right shape beyond 32 bits', () => {
    expect(siblingSides(2 ** 40, 2 ** 40 + 1)).toEqual(['left'])
    expect(siblingSides(2 ** 40 - 1, 2 ** 40)).toEqual(Array(40).fill('left'))
    expect(siblingSides(0, 2 ** 52)).toEqual(Array(52).fill('right'))
  })
})

describe('a consistency proof', () => {
  const pair = size.chain((n) => {
    return fc.record({ second: fc.constant(n), first: fc.integer({ min: 1, max: n }) })
  })
  const claimOf = ({ first, second }: { first: number; second: number }) => {
    const proof = TREE.consistencyProof(first, second)
    return { first, second, firstRoot: TREE.root(first), secondRoot: TREE.root(second), proof }
  }

  it('fails with any flipped bit in roots or proof, and at any other length', () => {
    fc.assert(
      fc.property(pair, (sizes) => {
        const claim = claimOf(sizes)
        expect(verifyConsistency(claim)).toBe(true)
        for (const firstRoot of flips(claim.firstRoot)) {
          expect(verifyConsistency({ ...claim, firstRoot })).toBe(false)
        }
        for (const secondRoot of flips(claim.secondRoot)) {
          expect(verifyConsistency({ ...claim, secondRoot })).toBe(false)
        }
        for (const proof of spoiled(claim.proof)) {
          expect(verifyConsistency({ ...claim, proof })).toBe(false)
        }
      }),
      { numRuns: 12 },
    )
  })

  it('fails for any other pair of sizes with their roots', () => {
    const claims = fc.tuple(pair, pair).filter(([a, b]) => JSON.stringify(a) !== JSON.stringify(b))
    fc.assert(
      fc.property(claims, ([sizes, others]) => {
        const { proof } = claimOf(sizes)
        const other = claimOf(others)
        // Trees of the same size are consistent if their roots are equal, with the same empty
        // proof.
        fc.pre(other.proof.length > 0 || proof.length > 0)
        expect(verifyConsistency({ ...other, proof })).toBe(false)
      }),
    )
  })

  it('fails for sizes whose proof has a different length, even with the right roots', () => {
    const sizes = Array.from({ length: 16 }, (_, i) => i + 1)
    const pairs = sizes.flatMap((second) =>
      sizes.slice(0, second).map((first) => ({ first, second })),
    )
    for (const real of pairs) {
      const claim = claimOf(real)
      for (const other of pairs) {
        if (!verifyConsistency({ ...claim, ...other })) continue
        expect(TREE.consistencyProof(other.first, other.second)).toHaveLength(claim.proof.length)
      }
    }
    // Both of these would pass without the check that the whole proof is consumed.
    expect(verifyConsistency({ ...claimOf({ first: 7, second: 8 }), first: 3, second: 4 })).toBe(
      false,
    )
    expect(verifyConsistency({ ...claimOf({ first: 3, second: 4 }), first: 7, second: 8 })).toBe(
      false,
    )
  })

  it('fails if the first tree is not a prefix of the second', () => {
    fc.assert(
      fc.property(pair, fc.nat(299), (sizes, at) => {
        fc.pre(at < sizes.first)
        const forked = LEAVES.slice(0, sizes.first).with(at, leafHash(Uint8Array.of(1)))
        const claim = { ...claimOf(sizes), firstRoot: merkleRoot(forked) }
        expect(verifyConsistency(claim)).toBe(false)
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    [0, 0],
    [0, 3],
    [-1, 3],
    [4, 3],
    [1.5, 3],
    [1, Number.NaN],
  ])('never verifies from %d to %d leaves', (first, second) => {
    const root = leafAt(0)
    const roots = { firstRoot: root, secondRoot: root }
    expect(verifyConsistency({ first, second, ...roots, proof: [] })).toBe(false)
    expect(verifyConsistency({ first, second, ...roots, proof: [root] })).toBe(false)
  })
})
