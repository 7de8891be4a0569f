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
import { Problem } from '../../../kernel/problem.ts'
import type { Checkpoint, Log } from './ports.ts'

/** Reads the part of the log that is published. */
export function createTileReads({ log }: { log: Log }) {
  const read = async (path: string): Promise<Uint8Array> => {
    const bytes = await log.getTile(path)
    if (bytes === undefined) throw new Error(`${path} is missing`)
    return bytes
  }
  const readTile: TileReader = (tile) => read(tilePath(tile))
  return {
    readTile,

    /** A tile or bundle by its path; undefined if it is not published. */
    async find(path: string, { size }: Checkpoint): Promise<Uint8Array | undefined> {
      const resource = parseTilePath(path)
      if (resource === undefined || !isInTree(resource, size)) return undefined
      return log.getTile(path)
    },

    async entryAt(index: number, { size }: Checkpoint): Promise<Uint8Array> {
      const bundle = bundleOf(index, size)
      const bytes = await read(bundlePath(bundle))
      const entry = readBundle(bytes, bundle.width)?.[index % TILE_WIDTH]
      if (entry === undefined) throw new Error(`${bundlePath(bundle)} is malformed`)
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
