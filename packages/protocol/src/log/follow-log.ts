import { equalBytes } from '../base/encoding.ts'
import { leafHash, verifyConsistency } from '../merkle/merkle.ts'
import { nodesForRoot, rootFromEdge } from '../merkle/merkle-nodes.ts'
import { subtreeRoot } from '../merkle/subtree-root.ts'
import { hasPossibleRoot, type LogHead } from './checkpoint-body.ts'
import { readBundle } from './entry-bundle.ts'
import {
  type Bundle,
  bundlePath,
  hashesAtLevel,
  readTile,
  TILE_HEIGHT,
  TILE_WIDTH,
  type Tile,
  type TileReader,
  tilePath,
  tilesOfGrowth,
} from './tile.ts'
import { consistencyProofFromTiles, rootFromTiles } from './tile-tree.ts'

/**
 * Follows a log from one checkpoint to another (spec: log §4). All new tiles and entries are read
 * and must lead from the known tree to the new root. If they do not, the old tiles decide whether
 * the log forked or its files are wrong.
 */

/** A tree that was verified: its root, and its complete subtrees from left to right. */
export type KnownTree = Omit<LogHead, 'origin'> & { edge: Uint8Array[] }

/** Undefined means that the log does not have the file. Throws if the log cannot be reached. */
export type LogReader = {
  tile(tile: Tile): Promise<Uint8Array | undefined>
  bundle(bundle: Bundle): Promise<Uint8Array | undefined>
}

export type Comparison =
  | { kind: 'consistent'; tree: KnownTree }
  /** The log signed two trees of which neither is a prefix of the other. */
  | { kind: 'fork'; reason: string }
  /** A smaller tree than the known one. A stale cache can cause this. */
  | { kind: 'older'; reason: string }
  /** The files of the log do not match its checkpoint. */
  | { kind: 'broken'; reason: string }

const EMPTY_TREE: Omit<KnownTree, 'root'> = { size: 0, edge: [] }

/** A file of the log that is missing or does not have the content that the tree requires. */
class BrokenFile extends Error {}

/** Whether the edge leads to the root of the tree. */
export function isKnownTree({ size, root, edge }: KnownTree): boolean {
  return edge.length === nodesForRoot(size).length && equalBytes(rootFromEdge(size, edge), root)
}

/** `known` is undefined for the first checkpoint: all tiles are read then. */
export async function followLog(
  known: KnownTree | undefined,
  next: LogHead,
  reader: LogReader,
): Promise<Comparison> {
  if (!hasPossibleRoot(next)) {
    return { kind: 'broken', reason: 'the root of an empty tree must be the hash of nothing' }
  }
  if (known === undefined || known.size === 0) return followGrowth(undefined, next, reader)
  if (next.size < known.size) return compareOlder(known, next, reader)
  if (next.size > known.size) return followGrowth(known, next, reader)
  return equalBytes(next.root, known.root)
    ? { kind: 'consistent', tree: known }
    : { kind: 'fork', reason: `two roots for size ${next.size}` }
}

export type HeadComparison = { kind: 'consistent' } | Exclude<Comparison, { kind: 'consistent' }>

/**
 * Compares two signed heads by a few tiles, for a reader who does not read the whole log: a proof shows
 * that the newer tree begins with the known one.
 */
export async function compareHeads(
  known: SizedRoot,
  next: SizedRoot,
  readPart: LogReader['tile'],
): Promise<HeadComparison> {
  if (next.size === known.size) {
    if (equalBytes(next.root, known.root)) return { kind: 'consistent' }
    return { kind: 'fork', reason: `two roots for size ${next.size}` }
  }
  const [smaller, larger] = next.size > known.size ? [known, next] : [next, known]
  const relation = await relate(smaller, larger, readPart)
  if (relation === 'fork') return { kind: 'fork', reason: forkReason(smaller, larger) }
  if (next.size < known.size) {
    const reason = `size ${next.size} is less than the known size ${known.size}`
    return { kind: 'older', reason }
  }
  return relation === 'prefix'
    ? { kind: 'consistent' }
    : { kind: 'broken', reason: 'the tiles do not lead to the root of the checkpoint' }
}

async function followGrowth(
  known: KnownTree | undefined,
  next: LogHead,
  reader: LogReader,
): Promise<Comparison> {
  let reason: string
  try {
    const edge = await readGrowth(known ?? EMPTY_TREE, next.size, reader)
    const { size, root } = next
    const isReached = equalBytes(rootFromEdge(size, edge), root)
    if (isReached) return { kind: 'consistent', tree: { size, root, edge } }
    reason = 'the tiles do not lead to the root of the checkpoint'
  } catch (err) {
    if (!(err instanceof BrokenFile)) throw err
    reason = err.message
  }
  if (known !== undefined && (await isFork(known, next, reader))) {
    return { kind: 'fork', reason: forkReason(known, next) }
  }
  return { kind: 'broken', reason }
}

async function compareOlder(
  known: KnownTree,
  next: LogHead,
  reader: LogReader,
): Promise<Comparison> {
  const reason = `size ${next.size} is less than the known size ${known.size}`
  // The log may be too far back to have the tiles of the known tree.
  const isProven = await isFork(next, known, reader).catch(() => false)
  return isProven ? { kind: 'fork', reason: forkReason(next, known) } : { kind: 'older', reason }
}

type SizedRoot = { size: number; root: Uint8Array }

function forkReason(smaller: SizedRoot, larger: SizedRoot): string {
  return `the tree of size ${larger.size} has another root for its first ${smaller.size} entries`
}

async function isFork(smaller: SizedRoot, larger: SizedRoot, reader: LogReader): Promise<boolean> {
  return (await relate(smaller, larger, reader.tile)) === 'fork'
}

/**
 * Finds what the tiles prove about two trees. It is a fork if they lead to the larger root, but to another root
 * for the smaller size, and nothing if they do not lead to the larger root.
 */
async function relate(
  smaller: SizedRoot,
  larger: SizedRoot,
  readPart: LogReader['tile'],
): Promise<'prefix' | 'fork' | undefined> {
  // Every tree begins with the empty one.
  if (smaller.size === 0) return 'prefix'
  const sizes = { first: smaller.size, second: larger.size }
  const read: TileReader = async (tile) => {
    const bytes = await requireTile(tile, readPart)
    requireHashes(bytes, tile)
    return bytes
  }
  try {
    const firstRoot = await rootFromTiles(smaller.size, read, larger.size)
    const proof = await consistencyProofFromTiles(sizes, read)
    const secondRoot = larger.root
    if (!verifyConsistency({ ...sizes, firstRoot, secondRoot, proof })) return undefined
    return equalBytes(firstRoot, smaller.root) ? 'prefix' : 'fork'
  } catch (err) {
    if (err instanceof BrokenFile) return undefined
    throw err
  }
}

/** Tiles that are requested at the same time. */
const REQUESTS_MAX = 8

/** The complete subtrees of a tree by tile level, left to right in each. */
type LevelEdges = Map<number, Uint8Array[]>

/**
 * Reads all tiles and entries of a growth, level by level, and compares each hash with what is known
 * about it: hashes of the old tree with its edge, new leaves with the entries, and hashes of higher
 * levels with the tiles below. Returns the edge of the larger tree.
 */
async function readGrowth(
  known: Omit<KnownTree, 'root'>,
  size: number,
  reader: LogReader,
): Promise<Uint8Array[]> {
  const edges = edgesByLevel(known)
  const tiles = tilesOfGrowth(known.size, size)
  let below: Uint8Array[] = []
  for (const level of new Set(tiles.map((tile) => tile.level))) {
    const row = tiles.filter((tile) => tile.level === level)
    const before = hashesAtLevel(level, known.size)
    const full: Uint8Array[] = []
    for await (const { tile, hashes } of readRow(row, reader)) {
      const old = Math.max(before - TILE_WIDTH * tile.index, 0)
      if (old > 0) requireSame(subtreesOf(hashes.slice(0, old)), edges.get(level), tile)
      const added = hashes.slice(old)
      if (level > 0) requireSame(added, below.splice(0, added.length), tile)
      if (tile.width === TILE_WIDTH) full.push(subtreeRoot(hashes))
      edges.set(level, tile.width === TILE_WIDTH ? [] : subtreesOf(hashes))
    }
    below = full
  }
  return [...edges].sort(([a], [b]) => b - a).flatMap(([, subtrees]) => subtrees)
}

function edgesByLevel({ size, edge }: Omit<KnownTree, 'root'>): LevelEdges {
  const edges: LevelEdges = new Map()
  for (const [i, node] of nodesForRoot(size).entries()) {
    const level = Math.floor(node.level / TILE_HEIGHT)
    edges.set(level, [...(edges.get(level) ?? []), edge[i] ?? new Uint8Array()])
  }
  return edges
}

/** In order, some at the same time. On level 0, the entries are read and compared as well. */
async function* readRow(row: readonly Tile[], reader: LogReader) {
  for (let at = 0; at < row.length; at += REQUESTS_MAX) {
    const batch = row.slice(at, at + REQUESTS_MAX)
    yield* await Promise.all(
      batch.map(async (tile) => {
        const [hashes, leaves] = await Promise.all([
          requireTile(tile, reader.tile).then((bytes) => requireHashes(bytes, tile)),
          tile.level === 0 ? requireLeaves(tile, reader) : undefined,
        ])
        if (leaves !== undefined) requireSame(hashes, leaves, tile)
        return { tile, hashes }
      }),
    )
  }
}

/** The complete subtrees of less than 256 hashes, left to right. */
function subtreesOf(hashes: readonly Uint8Array[]): Uint8Array[] {
  const subtrees: Uint8Array[] = []
  let at = 0
  for (let width = TILE_WIDTH / 2; width >= 1; width /= 2) {
    if (at + width > hashes.length) continue
    subtrees.push(subtreeRoot(hashes.slice(at, at + width)))
    at += width
  }
  return subtrees
}

async function requireTile(tile: Tile, readPart: LogReader['tile']): Promise<Uint8Array> {
  const bytes = await readPart(tile)
  if (bytes === undefined) throw new BrokenFile(`${tilePath(tile)} is missing`)
  return bytes
}

function requireHashes(bytes: Uint8Array, tile: Tile): Uint8Array[] {
  const hashes = readTile(bytes, tile.width)
  if (hashes === undefined) throw new BrokenFile(`${tilePath(tile)} has the wrong length`)
  return hashes
}

async function requireLeaves({ index, width }: Tile, reader: LogReader): Promise<Uint8Array[]> {
  const path = bundlePath({ index, width })
  const bytes = await reader.bundle({ index, width })
  if (bytes === undefined) throw new BrokenFile(`${path} is missing`)
  const entries = readBundle(bytes, width)
  if (entries === undefined) throw new BrokenFile(`${path} does not have ${width} entries`)
  return entries.map(leafHash)
}

function requireSame(
  hashes: readonly Uint8Array[],
  expected: readonly Uint8Array[] = [],
  tile: Tile,
): void {
  const isSame =
    hashes.length === expected.length &&
    hashes.every((hash, i) => equalBytes(hash, expected[i] ?? new Uint8Array()))
  if (!isSame) throw new BrokenFile(`${tilePath(tile)} does not match the rest of the log`)
}
