import {
  type Bundle,
  bundlePath,
  parseTilePath,
  readBundle,
  TILE_WIDTH,
  type TileReader,
  type TileResource,
  tileInTree,
  tilePath,
} from '@touchstone/protocol/log'
import { createCache } from '../../../kernel/cache.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Checkpoint, Log } from './ports.ts'

/** Full tiles that proofs have needed lately, which never change. */
const CACHED_BYTES_MAX = 16 * 1024 * 1024
const CACHED_MAX = 4096
const HASH_BYTES = 32
const CACHED_MS = 60 * 60 * 1000

/** Reads the part of the log that is published. */
export function createTileReads({ clock, log }: { clock: Clock; log: Log }) {
  const cache = createCache<Uint8Array>({
    clock,
    entriesMax: CACHED_MAX,
    ttlMs: CACHED_MS,
    weight: { of: (bytes) => bytes.length, max: CACHED_BYTES_MAX },
  })
  const find = async (path: string): Promise<Uint8Array | undefined> => {
    const bytes = cache.get(path) ?? (await log.getTile(path))
    if (bytes !== undefined && !path.includes('.p/')) cache.set(path, bytes)
    return bytes
  }
  const require = async (path: string): Promise<Uint8Array> => {
    const bytes = await find(path)
    if (bytes === undefined) throw new Error(`${path} is missing`)
    return bytes
  }
  // A partial file is deleted once the full one exists, of which a tree of an earlier size has a part.
  const readTile: TileReader = async (tile) => {
    const part = await find(tilePath(tile))
    if (part !== undefined) return part
    const full = await require(tilePath({ ...tile, width: TILE_WIDTH }))
    return full.subarray(0, HASH_BYTES * tile.width)
  }
  const entriesOf = async (bundle: Bundle): Promise<Uint8Array[]> => {
    const part = await find(bundlePath(bundle))
    const full = { ...bundle, width: TILE_WIDTH }
    const entries =
      part === undefined
        ? readBundle(await require(bundlePath(full)), TILE_WIDTH)
        : readBundle(part, bundle.width)
    if (entries === undefined) throw new Error(`${bundlePath(bundle)} is malformed`)
    return entries.slice(0, bundle.width)
  }
  return {
    readTile,

    /** A tile or bundle by its path; undefined if it is not published. */
    async find(path: string, { size }: Checkpoint): Promise<Uint8Array | undefined> {
      const resource = parseTilePath(path)
      if (resource === undefined || !isInTree(resource, size)) return undefined
      return log.getTile(path)
    },

    entriesOf,

    async entryAt(index: number, size: number): Promise<Uint8Array> {
      const entry = (await entriesOf(bundleOf(index, size)))[index % TILE_WIDTH]
      if (entry === undefined) throw new RangeError(`a log of ${size} has no entry ${index}`)
      return entry
    },
  }
}

function isInTree(resource: TileResource, size: number): boolean {
  const { level, index, width } =
    resource.kind === 'hashes' ? resource.tile : { level: 0, ...resource.bundle }
  return (tileInTree(level, index, size)?.width ?? 0) >= width
}

function bundleOf(entry: number, size: number): Bundle {
  const tile = tileInTree(0, Math.floor(entry / TILE_WIDTH), size)
  if (tile === undefined) throw new RangeError(`a log of ${size} has no entry ${entry}`)
  return { index: tile.index, width: tile.width }
}

export function noTile(): Problem {
  return new Problem('not_found', 'The log has no such tile.')
}
