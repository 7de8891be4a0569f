import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { readBundle, writeBundle } from './entry-bundle.ts'
import {
  bundlePath,
  bundlesOfGrowth,
  parseTilePath,
  readTile,
  tileInTree,
  tilePath,
  tilesOfGrowth,
  writeTile,
} from './tile.ts'

describe('paths of tiles', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 1, index: 999, width: 1 }, 'tile/1/999.p/1'],
    [{ level: 0, index: 1000, width: 256 }, 'tile/0/x001/000'],
    [{ level: 2, index: 1_234_067, width: 256 }, 'tile/2/x001/x234/067'],
    [{ level: 63, index: 1_234_067, width: 255 }, 'tile/63/x001/x234/067.p/255'],
  ])('are those of tlog-tiles: %o', (tile, path) => {
    expect(tilePath(tile)).toBe(path)
    expect(parseTilePath(path)).toEqual({ kind: 'hashes', tile })
    const { index, width } = tile
    const entries = path.replace(/^tile\/\d+/, 'tile/entries')
    expect(bundlePath({ index, width })).toBe(entries)
    expect(parseTilePath(entries)).toEqual({ kind: 'entries', bundle: { index, width } })
  })

  it('are read back for every tile', () => {
    const tiles = fc.record({
      level: fc.integer({ min: 0, max: 63 }),
      index: fc.maxSafeNat(),
      width: fc.integer({ min: 1, max: 256 }),
    })
    fc.assert(
      fc.property(tiles, (tile) => {
        expect(parseTilePath(tilePath(tile))).toEqual({ kind: 'hashes', tile })
      }),
      runs(1000),
    )
  })

  it.each([
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/1',
    'tile/0/0000',
    'tile/0/001/000',
    'tile/0/x000/001',
    'tile/0/x001/x000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/000.p/',
    'tile/entries/1',
    'tile/data/000',
    '/tile/0/000',
    'tile/0/000/',
    'tile/0/x999/x999/x999/x999/x999/999',
  ])('have no second spelling: %s', (path) => {
    expect(parseTilePath(path)).toBeUndefined()
  })
})

describe('the tiles of a tree', () => {
  it('are those of the example of tlog-tiles at 70,000 entries', () => {
    const tiles = tilesOfGrowth(0, 70_000)
    const full = (level: number) => tiles.filter((t) => t.level === level && t.width === 256).length
    expect([full(0), full(1), full(2)]).toEqual([273, 1, 0])
    expect(tiles.filter(({ width }) => width < 256)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ])
    expect(tilesOfGrowth(0, 256)).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 1, index: 0, width: 1 },
    ])
  })

  it('change only where the tree grows', () => {
    expect(tilesOfGrowth(255, 257)).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 0, index: 1, width: 1 },
      { level: 1, index: 0, width: 1 },
    ])
    expect(bundlesOfGrowth(255, 257)).toEqual([
      { index: 0, width: 256 },
      { index: 1, width: 1 },
    ])
    expect(tilesOfGrowth(257, 300)).toEqual([{ level: 0, index: 1, width: 44 }])
    expect(tilesOfGrowth(300, 300)).toEqual([])
  })

  it('of a growth are the tiles of the larger tree that the smaller one does not have', () => {
    const size = fc.integer({ min: 0, max: 200_000 })
    fc.assert(
      fc.property(size, size, (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const before = new Set(tilesOfGrowth(0, from).map(tilePath))
        const added = tilesOfGrowth(0, to).filter((tile) => !before.has(tilePath(tile)))
        expect(tilesOfGrowth(from, to)).toEqual(added)
      }),
      runs(200),
    )
  })

  it('do not include empty ones', () => {
    expect(tileInTree(0, 1, 256)).toBeUndefined()
    expect(tileInTree(1, 0, 255)).toBeUndefined()
    expect(tileInTree(0, 1, 257)).toEqual({ level: 0, index: 1, width: 1 })
  })
})

describe('the bytes of a tile and of a bundle', () => {
  const hashes = [1, 2, 3].map((fill) => new Uint8Array(32).fill(fill))

  it('are the hashes one after the other', () => {
    const bytes = writeTile(hashes)
    expect(bytes).toHaveLength(96)
    expect(readTile(bytes, 3)).toEqual(hashes)
    expect(readTile(bytes, 2)).toBeUndefined()
    expect(readTile(bytes.subarray(1), 3)).toBeUndefined()
    expect(() => writeTile([new Uint8Array(31)])).toThrow(TypeError)
  })

  it('are the entries, each after its length in two bytes', () => {
    const entries = [new Uint8Array(0), Uint8Array.of(7), new Uint8Array(0x0102).fill(9)]
    const bytes = writeBundle(entries)
    expect([...bytes.subarray(0, 6)]).toEqual([0, 0, 0, 1, 7, 1])
    expect(readBundle(bytes, 3)).toEqual(entries)
    for (const width of [0, 1, 2, 4]) expect(readBundle(bytes, width)).toBeUndefined()
    for (const cut of [1, 2, 200, 258]) {
      expect(readBundle(bytes.subarray(0, bytes.length - cut), 3)).toBeUndefined()
    }
    expect(readBundle(Uint8Array.of(...bytes, 0), 3)).toBeUndefined()
    expect(writeBundle([new Uint8Array(65_535)])).toHaveLength(65_537)
    expect(() => writeBundle([new Uint8Array(65_536)])).toThrow(RangeError)
  })
})
