import { HASH_BYTES } from '../merkle/merkle.ts'
import { parseCount } from './parsed.ts'

/**
 * Tiles of the log (c2sp.org/tlog-tiles; spec: log §2). A tile holds up to 256 consecutive hashes
 * of one tile level; a hash of level L covers 256^L entries. Only full tiles have a hash on the
 * level above, so a full tile never changes.
 */

export const TILE_WIDTH = 256
export const TILE_HEIGHT = 8

/** Sizes are at most 2^53 - 1, which is seven tile levels. */
const LEVELS_MAX = 7

/** `width` is the number of hashes: 256 in a full tile, less in a partial one. */
export type Tile = { level: number; index: number; width: number }

/** The entries of a level 0 tile, with the same index and width. */
export type Bundle = Omit<Tile, 'level'>

export type StoredTile = { tile: Tile; bytes: Uint8Array }

/** Returns the bytes of a tile; throws if there is none. */
export type TileReader = (tile: Tile) => Promise<Uint8Array>

export type TileResource = { kind: 'hashes'; tile: Tile } | { kind: 'entries'; bundle: Bundle }

/** The path below the URL of the log, such as `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${placePath({ index, width })}`
}

/** The path below the URL of the log, such as `tile/entries/x001/234.p/5`. */
export function bundlePath(bundle: Bundle): string {
  return `tile/entries/${placePath(bundle)}`
}

function placePath({ index, width }: Bundle): string {
  const digits = String(index).padStart(3 * Math.ceil(String(index).length / 3), '0')
  const groups = digits.match(/\d{3}/g) ?? []
  const path = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
  return width === TILE_WIDTH ? path : `${path}.p/${width}`
}

const PATH_FORM = /^tile\/(entries|[0-9]+)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([0-9]+))?$/

/** Undefined unless the path is exactly what tilePath or bundlePath writes. */
export function parseTilePath(path: string): TileResource | undefined {
  const [, kind = '', groups = '', partial] = PATH_FORM.exec(path) ?? []
  const index = Number(groups.replaceAll(/[x/]/g, ''))
  const width = partial === undefined ? TILE_WIDTH : parseCount(partial)
  if (width === undefined || width < 1 || !Number.isSafeInteger(index)) return undefined
  if (kind === 'entries') {
    const bundle = { index, width }
    return bundlePath(bundle) === path ? { kind, bundle } : undefined
  }
  const level = parseCount(kind)
  if (level === undefined || level > 63) return undefined
  const tile = { level, index, width }
  return tilePath(tile) === path ? { kind: 'hashes', tile } : undefined
}

/** The number of hashes of a tile level in a tree of this size. */
export function hashesAtLevel(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level)
}

/** The tile with this index in a tree of this size; undefined if it would be empty. */
export function tileInTree(level: number, index: number, size: number): Tile | undefined {
  const width = Math.min(TILE_WIDTH, hashesAtLevel(level, size) - TILE_WIDTH * index)
  return width > 0 ? { level, index, width } : undefined
}

/**
 * The tiles that change if a tree grows from `from` to `to` entries: level by level, left to right.
 * From 0, these are all tiles of the tree.
 */
export function tilesOfGrowth(from: number, to: number): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0; level < LEVELS_MAX; level++) {
    const [before, after] = [hashesAtLevel(level, from), hashesAtLevel(level, to)]
    if (before === after) break
    for (let index = Math.floor(before / TILE_WIDTH); index * TILE_WIDTH < after; index++) {
      tiles.push({ level, index, width: Math.min(TILE_WIDTH, after - TILE_WIDTH * index) })
    }
  }
  return tiles
}

/** The entry bundles that change if a tree grows from `from` to `to` entries. */
export function bundlesOfGrowth(from: number, to: number): Bundle[] {
  return tilesOfGrowth(from, to)
    .filter(({ level }) => level === 0)
    .map(({ index, width }) => ({ index, width }))
}

export function writeTile(hashes: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(HASH_BYTES * hashes.length)
  for (const [i, hash] of hashes.entries()) {
    if (hash.length !== HASH_BYTES) throw new TypeError('a tile holds hashes of 32 bytes')
    bytes.set(hash, HASH_BYTES * i)
  }
  return bytes
}

/** Undefined unless the bytes are exactly `width` hashes. */
export function readTile(bytes: Uint8Array, width: number): Uint8Array[] | undefined {
  if (bytes.length !== HASH_BYTES * width) return undefined
  return Array.from({ length: width }, (_, i) =>
    bytes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1)),
  )
}
