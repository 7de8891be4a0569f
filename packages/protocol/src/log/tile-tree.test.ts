import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullOrShort, runs } from '#harness/runs.ts'
import { sha256Bytes } from '../crypto/hash.ts'
import { leafHash, merkleRoot, verifyConsistency, verifyInclusion } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import { tileStore } from './logs.fixture.ts'
import { type TileReader, tilePath, tilesOfGrowth } from './tile.ts'
import {
  appendToTiles,
  consistencyProofFromTiles,
  inclusionProofFromTiles,
  rootFromTiles,
} from './tile-tree.ts'

const leavesTo = (size: number) =>
  Array.from({ length: size }, (_, i) => leafHash(sha256Bytes(`entry ${i}`)))

/** The sizes around which a tile or a level begins, and small ones. */
const EDGES = [1, 2, 3, 7, 8, 255, 256, 257, 258, 300]

/** Grown one entry at a time, so that the partial tiles of every size are stored. */
async function grown(leaves: readonly Uint8Array[]) {
  const store = tileStore()
  const roots: Uint8Array[] = [merkleRoot([])]
  for (const [size, leaf] of leaves.entries()) {
    const growth = await appendToTiles({ size, leaves: [leaf] }, store.read)
    store.store(growth.tiles)
    roots.push(growth.root)
  }
  return { ...store, roots }
}

const leaves = leavesTo(300)
const log = await grown(leaves)

describe('a tree in tiles', () => {
  it('has the roots of RFC 6962 at every size, when grown by one and when read', async () => {
    for (let size = 0; size <= 300; size++) {
      const root = merkleRoot(leaves.slice(0, size))
      expect(log.roots[size]).toEqual(root)
      expect(await rootFromTiles(size, log.read)).toEqual(root)
    }
  })

  it('proves every entry at every size', async () => {
    const step = fullOrShort({ full: 1, short: 60 })
    const sizes = leaves.map((_, i) => i + 1).filter((n) => n % step === 0 || EDGES.includes(n))
    for (const size of sizes) {
      const root = log.roots[size] ?? new Uint8Array()
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProofFromTiles({ index, size }, log.read)
        const leaf = leaves[index] ?? new Uint8Array()
        expect(verifyInclusion({ leaf, index, size, proof }, root)).toBe(true)
      }
    }
  })

  it('proves every size consistent with every later one', async () => {
    const step = fullOrShort({ full: 3, short: 37 })
    const sizes = leaves.map((_, i) => i + 1).filter((n) => n % step === 0 || EDGES.includes(n))
    for (const second of sizes) {
      for (const first of sizes.filter((size) => size <= second)) {
        const proof = await consistencyProofFromTiles({ first, second }, log.read)
        const [firstRoot, secondRoot] = [first, second].map((n) => log.roots[n] ?? new Uint8Array())
        if (firstRoot === undefined || secondRoot === undefined) throw new Error('no root')
        expect(verifyConsistency({ first, second, firstRoot, secondRoot, proof })).toBe(true)
      }
    }
  })

  it('writes exactly the tiles of the growth, whatever the sizes of the rounds', async () => {
    const all = leavesTo(fullOrShort({ full: 70_000, short: 2000 }))
    const tree = createMerkleTree()
    const rounds = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(rounds, async (counts) => {
        const store = tileStore()
        let size = 0
        for (const count of counts) {
          const added = all.slice(size, size + count)
          const growth = await appendToTiles({ size, leaves: added }, store.read)
          expect(growth.tiles.map(({ tile }) => tile)).toEqual(tilesOfGrowth(size, growth.size))
          store.store(growth.tiles)
          size = growth.size
          while (tree.size < size) tree.append(all[tree.size] ?? new Uint8Array())
          expect(growth.root).toEqual(tree.root(size))
        }
      }),
      runs(100),
    )
  })

  it('has three levels at 65,793 entries, and proofs that verify', async () => {
    const all = leavesTo(65_793)
    const store = tileStore()
    const { root, tiles, size } = await appendToTiles({ size: 0, leaves: all }, store.read)
    store.store(tiles)
    expect(tiles.at(-1)?.tile).toEqual({ level: 2, index: 0, width: 1 })
    const tree = createMerkleTree()
    for (const leaf of all) tree.append(leaf)
    expect(root).toEqual(tree.root())
    for (const index of [0, 255, 256, 65_535, 65_536, 65_792]) {
      const proof = await inclusionProofFromTiles({ index, size }, store.read)
      expect(proof).toEqual(tree.inclusionProof(index))
    }
    store.reads.length = 0
    expect(await inclusionProofFromTiles({ index: 300, size }, store.read)).toHaveLength(17)
    // One tile of each level on the path, and the last tiles of levels 0 and 1.
    expect(store.reads.length).toBeLessThanOrEqual(5)
  })

  it('appends nothing without reading or writing anything but the root', async () => {
    const growth = await appendToTiles({ size: 300, leaves: [] }, log.read)
    expect(growth).toEqual({ size: 300, root: log.roots[300], tiles: [] })
  })

  it('notices each changed byte of any tile that the root depends on', async () => {
    const size = 300
    const root = log.roots[size]
    for (const tile of tilesOfGrowth(0, size).filter(({ level }) => level > 0)) {
      for (let at = 0; at < 32 * tile.width; at++) {
        const read: TileReader = async (asked) => {
          const bytes = Uint8Array.from(await log.read(asked))
          if (tilePath(asked) === tilePath(tile)) bytes[at] = (bytes[at] ?? 0) ^ 1
          return bytes
        }
        expect(await rootFromTiles(size, read)).not.toEqual(root)
      }
    }
  })

  it('refuses tiles of a wrong length and places outside of the tree', async () => {
    const short: TileReader = async (tile) => (await log.read(tile)).subarray(1)
    await expect(rootFromTiles(300, short)).rejects.toThrow('has the wrong length')
    await expect(inclusionProofFromTiles({ index: 300, size: 300 }, log.read)).rejects.toThrow(
      'does not exist',
    )
    await expect(consistencyProofFromTiles({ first: 0, second: 5 }, log.read)).rejects.toThrow(
      'no consistency proof',
    )
  })
})
