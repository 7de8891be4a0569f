import { equalBytes } from '@touchstone/protocol/base'
import {
  appendToTiles,
  type Bundle,
  bundlePath,
  bundlesOfGrowth,
  type Growth,
  readBundle,
  readTile,
  rootFromTiles,
  TILE_WIDTH,
  type TileReader,
  tileInTree,
  tilePath,
  writeBundle,
} from '@touchstone/protocol/log'
import { leafHash } from '@touchstone/protocol/merkle'
import type { TileFile, TileStore } from './tile-store.ts'

/** The stored tiles are not those of the stored checkpoint. */
export class LogFault extends Error {}

export type Head = { size: number; root: Uint8Array }

export function tileReader(store: Pick<TileStore, 'get'>): TileReader {
  return async (tile) => {
    const path = tilePath(tile)
    const bytes = await store.get(path)
    if (bytes === undefined) throw new LogFault(`${path} is missing`)
    return bytes
  }
}

/** Throws a LogFault unless the right edge of the tiles has the root of the checkpoint. */
export async function assertTilesMatch(head: Head, store: Pick<TileStore, 'get'>): Promise<void> {
  const root = await rootFromTiles(head.size, tileReader(store)).catch((err: unknown) => {
    // A tile of the wrong length.
    if (err instanceof RangeError) throw new LogFault(err.message)
    throw err
  })
  if (equalBytes(root, head.root)) return
  throw new LogFault(`the tiles do not have the root of the checkpoint of size ${head.size}`)
}

/** The entries of the bundle that the next entry belongs to. Throws a LogFault if they are not those hashed. */
export async function lastEntries(
  size: number,
  store: Pick<TileStore, 'get'>,
): Promise<Uint8Array[]> {
  const tile = tileInTree(0, Math.floor(size / TILE_WIDTH), size)
  if (tile === undefined) return []
  const hashes = readTile(await tileReader(store)(tile), tile.width) ?? []
  const path = bundlePath(tile)
  const bytes = await store.get(path)
  const entries = bytes && readBundle(bytes, tile.width)
  if (entries === undefined) throw new LogFault(`${path} is missing or malformed`)
  const isHashed = entries.every((entry, i) => {
    const hash = hashes[i]
    return hash !== undefined && equalBytes(leafHash(entry), hash)
  })
  if (!isHashed) throw new LogFault(`the entries in ${path} are not those that were hashed`)
  return entries
}

export type Grown = {
  head: Head
  files: TileFile[]
  /** Paths of full tiles whose partial ones are not needed any more. */
  completed: string[]
}

/** Everything to store for these entries after the first `size`. */
export async function growLog(
  size: number,
  entries: readonly Uint8Array[],
  store: Pick<TileStore, 'get'>,
): Promise<Grown> {
  const before = await lastEntries(size, store)
  const bundles = bundlesOfGrowth(size, size + entries.length)
  const growth = await appendToTiles({ size, leaves: entries.map(leafHash) }, tileReader(store))
  return {
    head: { size: growth.size, root: growth.root },
    files: [...bundleFiles(bundles, [...before, ...entries]), ...tileFiles(growth)],
    completed: completedPaths(size, bundles, growth),
  }
}

/** `entries` begin with the first entry of the first bundle. */
function bundleFiles(bundles: readonly Bundle[], entries: readonly Uint8Array[]): TileFile[] {
  return bundles.map((bundle, i) => {
    const own = entries.slice(i * TILE_WIDTH, i * TILE_WIDTH + bundle.width)
    return { path: bundlePath(bundle), bytes: writeBundle(own) }
  })
}

function tileFiles({ tiles }: Growth): TileFile[] {
  return tiles.map(({ tile, bytes }) => ({ path: tilePath(tile), bytes }))
}

/** Only the first tile of a level can have had partial ones. */
function completedPaths(size: number, bundles: readonly Bundle[], { tiles }: Growth): string[] {
  const hadPartial = (level: number, index: number) => {
    const width = tileInTree(level, index, size)?.width ?? 0
    return width > 0 && width < TILE_WIDTH
  }
  const full = tiles
    .map(({ tile }) => tile)
    .filter(({ level, index, width }) => width === TILE_WIDTH && hadPartial(level, index))
  const fullBundles = bundles.filter(
    ({ index, width }) => width === TILE_WIDTH && hadPartial(0, index),
  )
  return [...full.map(tilePath), ...fullBundles.map(bundlePath)]
}
