import { createHash } from 'node:crypto'
import { Field } from '@noble/curves/abstract/modular.js'
import { grainGenConstants, poseidon } from '@noble/curves/abstract/poseidon.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { P } from '../field/baby-bear.ts'
import { countSiblings, createMerkleTree, hashLeaf, rootOf } from './merkle.ts'
import { permute, poseidonConstants, poseidonHash } from './poseidon.ts'
import { FULL_ROUNDS, PARTIAL_ROUNDS, WIDTH } from './poseidon-constants.ts'
import { sha256 } from './sha256.ts'

describe('SHA-256', () => {
  it('matches node:crypto for every length around the block boundaries', () => {
    for (let length = 0; length < 300; length += 1) {
      const input = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff)
      expect(Buffer.from(sha256(input))).toEqual(createHash('sha256').update(input).digest())
    }
  })

  it('matches node:crypto for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (input) => {
        expect(Buffer.from(sha256(input))).toEqual(createHash('sha256').update(input).digest())
      }),
    )
  })
})

describe('Poseidon', () => {
  const Fp = Field(BigInt(P))
  const options = {
    Fp,
    t: WIDTH,
    roundsFull: FULL_ROUNDS,
    roundsPartial: PARTIAL_ROUNDS,
    sboxPower: 7,
  }
  const theirs = grainGenConstants(options)
  const numbers = (rows: bigint[][]) => rows.map((row) => row.map(Number))

  it('has the constants and the matrix that @noble/curves derives', () => {
    const { roundConstants, matrix } = poseidonConstants()
    expect(roundConstants).toEqual(numbers(theirs.roundConstants))
    expect(matrix).toEqual(numbers(theirs.mds))
  })

  it('permutes like @noble/curves', () => {
    const reference = poseidon({ ...options, ...theirs })
    const lane = fc.integer({ min: 0, max: P - 1 })
    fc.assert(
      fc.property(fc.array(lane, { minLength: WIDTH, maxLength: WIDTH }), (lanes) => {
        expect(permute(lanes)).toEqual(reference(lanes.map(BigInt)).map(Number))
      }),
      { numRuns: 50 },
    )
  })

  it('gives different hashes for all-zero inputs of different lengths', () => {
    expect(poseidonHash(new Array(8).fill(0))).not.toEqual(poseidonHash(new Array(16).fill(0)))
  })
})

describe('a Merkle tree', () => {
  const leaves = Array.from({ length: 64 }, (_, i) => hashLeaf(Uint8Array.of(i)))
  const tree = createMerkleTree(leaves)
  const opened = (indices: readonly number[]) => ({
    indices,
    depth: 6,
    siblings: tree.open(indices),
    leaves: indices.map((index) => leaves[index] ?? new Uint8Array()),
  })
  const anyIndices = fc
    .uniqueArray(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 20 })
    .map((indices) => indices.sort((a, b) => a - b))

  it('reaches its root from any opened leaves, with exactly the counted siblings', () => {
    fc.assert(
      fc.property(anyIndices, (indices) => {
        const opening = opened(indices)
        expect(opening.siblings).toHaveLength(countSiblings(indices, 6))
        expect(rootOf(opening)).toEqual(tree.root)
      }),
    )
  })

  it('reaches a different root if a leaf or a sibling is changed', () => {
    fc.assert(
      fc.property(anyIndices, (indices) => {
        const opening = opened(indices)
        const other = { ...opening, leaves: opening.leaves.map((leaf) => leaf.map((b) => b ^ 1)) }
        expect(rootOf(other)).not.toEqual(tree.root)
        const [digest] = opening.siblings
        if (digest === undefined) return
        const siblings = [digest.map((b) => b ^ 1), ...opening.siblings.slice(1)]
        expect(rootOf({ ...opening, siblings })).not.toEqual(tree.root)
      }),
    )
  })
})
