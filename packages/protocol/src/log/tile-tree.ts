import {
  consistencyProofFromNodes,
  inclusionProofFromNodes,
  type NodeId,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
  type ReadNode,
  rootFromNodes,
} from '../merkle/merkle-nodes.ts'
import { subtreeRoot } from '../merkle/subtree-root.ts'
import {
  hashesAtLevel,
  readTile,
  type StoredTile,
  TILE_HEIGHT,
  TILE_WIDTH,
  type Tile,
  type TileReader,
  tileInTree,
  tilePath,
  writeTile,
} from './tile.ts'

/** Roots and proofs of the tree of RFC 6962 from its tiles, and the tiles of a growing tree. */

/** `treeSize` is the size of the tree whose tiles are read, if it is larger. */
export async function rootFromTiles(
  size: number,
  read: TileReader,
  treeSize = size,
): Promise<Uint8Array> {
  return rootFromNodes(size, await fetchNodes(nodesForRoot(size), treeSize, read))
}

/** From the leaf to the root. */
export async function inclusionProofFromTiles(
  leaf: { index: number; size: number },
  read: TileReader,
): Promise<Uint8Array[]> {
  const nodes = nodesForInclusion(leaf.index, leaf.size)
  return inclusionProofFromNodes(leaf, await fetchNodes(nodes, leaf.size, read))
}

/** `first` is at least 1: there is nothing to prove about an empty tree. */
export async function consistencyProofFromTiles(
  sizes: { first: number; second: number },
  read: TileReader,
): Promise<Uint8Array[]> {
  const nodes = nodesForConsistency(sizes.first, sizes.second)
  return consistencyProofFromNodes(sizes, await fetchNodes(nodes, sizes.second, read))
}

/** The hashes beside a range of leaves that lead to the root together with it, left to right. */
export type RangeEdges = { left: Uint8Array[]; right: Uint8Array[] }

/** The complete subtrees before and after the leaves from `first` to `end` in a tree of `size`. */
export async function rangeEdgesFromTiles(
  { first, end, size }: { first: number; end: number; size: number },
  read: TileReader,
): Promise<RangeEdges> {
  const [before, after] = [nodesForRoot(first), nodesAfter(end, size)]
  const node = await fetchNodes([...before, ...after], size, read)
  const hashOf = ({ level, index }: NodeId) => node(level, index)
  return { left: before.map(hashOf), right: after.map(hashOf) }
}

/** The largest complete subtrees from `start` on. */
function nodesAfter(start: number, size: number): NodeId[] {
  const nodes: NodeId[] = []
  for (let at = start; at < size; ) {
    let level = 0
    for (let width = 2; at % width === 0 && at + width <= size; width *= 2) level += 1
    nodes.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return nodes
}

/**
 * Reads the tiles that contain the nodes, each once, as they are in a tree of `size` entries. A
 * node between two tile levels is computed from the hashes below it.
 */
async function fetchNodes(
  nodes: readonly NodeId[],
  size: number,
  read: TileReader,
): Promise<ReadNode> {
  const wanted = new Map<string, Tile>()
  for (const node of nodes) {
    const { level, index } = placeOf(node)
    const tile = tileInTree(level, index, size)
    if (tile === undefined)
      throw new RangeError(`tile ${level}/${index} is not in a tree of ${size}`)
    wanted.set(`${level}/${index}`, tile)
  }
  const hashes = new Map<string, Uint8Array[]>()
  await Promise.all(
    [...wanted].map(async ([name, tile]) => hashes.set(name, await readHashes(tile, read))),
  )
  return (nodeLevel, nodeIndex) => {
    const { level, index, start, count } = placeOf({ level: nodeLevel, index: nodeIndex })
    const covered = hashes.get(`${level}/${index}`)?.slice(start, start + count)
    if (covered?.length !== count)
      throw new RangeError(`node ${nodeLevel}/${nodeIndex} was not read`)
    return subtreeRoot(covered)
  }
}

/** The tile of a node, and the hashes of the tile that the node covers. */
function placeOf(node: NodeId) {
  const level = Math.floor(node.level / TILE_HEIGHT)
  const count = 2 ** (node.level % TILE_HEIGHT)
  const first = node.index * count
  const index = Math.floor(first / TILE_WIDTH)
  return { level, index, start: first - index * TILE_WIDTH, count }
}

async function readHashes(tile: Tile, read: TileReader): Promise<Uint8Array[]> {
  const hashes = readTile(await read(tile), tile.width)
  if (hashes === undefined) throw new RangeError(`${tilePath(tile)} has the wrong length`)
  return hashes
}

export type Growth = {
  size: number
  root: Uint8Array
  /** The tiles to store, exactly tilesOfGrowth: level by level, left to right. */
  tiles: StoredTile[]
}

/** Appends leaf hashes to a tree of `size` entries; reads only the right edge of that tree. */
export async function appendToTiles(
  { size, leaves }: { size: number; leaves: readonly Uint8Array[] },
  read: TileReader,
): Promise<Growth> {
  const tiles: StoredTile[] = []
  let added = leaves
  for (let level = 0; added.length > 0; level++) {
    const index = Math.floor(hashesAtLevel(level, size) / TILE_WIDTH)
    const partial = tileInTree(level, index, size)
    const before = partial === undefined ? [] : await readHashes(partial, read)
    const row = cut([...before, ...added])
    row.forEach((hashes, i) => {
      tiles.push({
        tile: { level, index: index + i, width: hashes.length },
        bytes: writeTile(hashes),
      })
    })
    added = row.filter(({ length }) => length === TILE_WIDTH).map(subtreeRoot)
  }
  const grown = size + leaves.length
  return { size: grown, root: await rootFromTiles(grown, overlay(tiles, read)), tiles }
}

/** Prefers tiles that are not stored yet. */
function overlay(tiles: readonly StoredTile[], read: TileReader): TileReader {
  const created = new Map(tiles.map(({ tile, bytes }) => [tilePath(tile), bytes]))
  return async (tile) => created.get(tilePath(tile)) ?? (await read(tile))
}

function cut(hashes: readonly Uint8Array[]): Uint8Array[][] {
  const rows: Uint8Array[][] = []
  for (let at = 0; at < hashes.length; at += TILE_WIDTH) {
    rows.push(hashes.slice(at, at + TILE_WIDTH))
  }
  return rows
}
