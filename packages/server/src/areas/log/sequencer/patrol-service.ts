import { equalBytes } from '@touchstone/protocol/base'
import { bundlePath, readBundle, readTile, TILE_WIDTH, tilePath } from '@touchstone/protocol/log'
import { leafHash, merkleRoot } from '@touchstone/protocol/merkle'
import { LogFault, tileReader } from './growth-service.ts'
import type { TileStore } from './tile-store.ts'

/** Full tiles that one look compares: few, because a store may charge for each request. */
const TILES_MAX = 4

type Place = { level: number; index: number }

/**
 * Compares full tiles with the entries below and the hash above, some at each look, in turns. The right
 * edge of the tree is compared in each round, so that a pass covers every byte of the log.
 */
export function createPatrol(store: Pick<TileStore, 'get'>) {
  let next = 0
  return {
    /** Throws a LogFault for a tile that was changed; the next look begins with the same one. */
    async look(size: number): Promise<void> {
      const total = countFull(size)
      for (let n = 0; n < Math.min(TILES_MAX, total); n += 1) {
        next %= total
        await assertWhole(placeOf(next, size), size, store)
        next += 1
      }
    },
  }
}

/** The number of full tiles of a level; each has a hash on the level above. */
function fullTiles(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** (level + 1))
}

function countFull(size: number): number {
  let total = 0
  for (let level = 0; fullTiles(level, size) > 0; level += 1) total += fullTiles(level, size)
  return total
}

/** Full tiles are counted level by level. */
function placeOf(n: number, size: number): Place {
  let [level, index] = [0, n]
  while (index >= fullTiles(level, size)) {
    index -= fullTiles(level, size)
    level += 1
  }
  return { level, index }
}

async function assertWhole(
  { level, index }: Place,
  size: number,
  store: Pick<TileStore, 'get'>,
): Promise<void> {
  const read = tileReader(store)
  const tile = { level, index, width: TILE_WIDTH }
  const path = tilePath(tile)
  const hashes = readTile(await read(tile), TILE_WIDTH)
  const parent = Math.floor(index / TILE_WIDTH)
  const width = Math.min(TILE_WIDTH, fullTiles(level, size) - parent * TILE_WIDTH)
  const above = readTile(await read({ level: level + 1, index: parent, width }), width)
  const expected = above?.[index % TILE_WIDTH]
  if (hashes === undefined || expected === undefined) throw new LogFault(`${path} is malformed`)
  if (!equalBytes(merkleRoot(hashes), expected)) {
    throw new LogFault(`${path} does not have the hash on the level above`)
  }
  if (level === 0) await assertEntries(index, hashes, store)
}

async function assertEntries(
  index: number,
  hashes: readonly Uint8Array[],
  store: Pick<TileStore, 'get'>,
): Promise<void> {
  const path = bundlePath({ index, width: TILE_WIDTH })
  const bytes = await store.get(path)
  const entries = bytes && readBundle(bytes, TILE_WIDTH)
  const isHashed = entries?.every((entry, i) => {
    const hash = hashes[i]
    return hash !== undefined && equalBytes(leafHash(entry), hash)
  })
  if (isHashed !== true) throw new LogFault(`the entries in ${path} are not those that were hashed`)
}
