import { describe, expect, it } from 'vitest'
import { fullOrShort } from '#harness/runs.ts'
import { leafHash, merkleRoot } from '../merkle/merkle.ts'
import { writeBundle } from './entry-bundle.ts'
import {
  compareHeads,
  followLog,
  isKnownTree,
  type KnownTree,
  type LogReader,
} from './follow-log.ts'
import { tileStore } from './logs.fixture.ts'
import { bundlePath, bundlesOfGrowth, TILE_WIDTH, tilePath } from './tile.ts'
import { appendToTiles } from './tile-tree.ts'

const ORIGIN = 'log.example/log'
const EDGES = [1, 2, 255, 256, 257, 511, 512, 600]
const utf8 = new TextEncoder()

/** A log in memory that was grown through the given sizes; entries from `forkAt` on differ. */
async function logOf(sizes: readonly number[], forkAt = Number.POSITIVE_INFINITY) {
  const store = tileStore()
  const entries: Uint8Array[] = []
  const roots = new Map<number, Uint8Array>([[0, merkleRoot([])]])
  for (const size of sizes) {
    const from = entries.length
    while (entries.length < size) {
      const at = entries.length
      entries.push(utf8.encode(`entry ${at}${at >= forkAt ? ' forked' : ''}`))
    }
    const leaves = entries.slice(from).map(leafHash)
    const growth = await appendToTiles({ size: from, leaves }, store.read)
    store.store(growth.tiles)
    for (const bundle of bundlesOfGrowth(from, size)) {
      const start = bundle.index * TILE_WIDTH
      const bytes = writeBundle(entries.slice(start, start + bundle.width))
      store.stored.set(bundlePath(bundle), bytes)
    }
    roots.set(size, growth.root)
  }
  const read: string[] = []
  const get = async (path: string) => {
    read.push(path)
    return store.stored.get(path)
  }
  const reader: LogReader = {
    tile: (tile) => get(tilePath(tile)),
    bundle: (bundle) => get(bundlePath(bundle)),
  }
  const head = (size: number) => {
    const root = roots.get(size)
    if (root === undefined) throw new Error(`no checkpoint of size ${size}`)
    return { origin: ORIGIN, size, root }
  }
  return { stored: store.stored, reader, read, head }
}

type Log = Awaited<ReturnType<typeof logOf>>

async function treeOf(log: Log, size: number, known?: KnownTree): Promise<KnownTree> {
  const followed = await followLog(known, log.head(size), log.reader)
  if (followed.kind !== 'consistent') throw new Error(followed.reason)
  return followed.tree
}

describe('followLog', () => {
  it('goes from any size to any later one and arrives at the same tree', async () => {
    const log = await logOf(EDGES)
    const direct = new Map<number, KnownTree>()
    for (const size of EDGES) direct.set(size, await treeOf(log, size))
    for (const tree of direct.values()) expect(isKnownTree(tree)).toBe(true)
    for (const from of EDGES) {
      for (const to of EDGES.filter((size) => size >= from)) {
        expect(await treeOf(log, to, direct.get(from))).toEqual(direct.get(to))
      }
    }
  })

  it('reads only tiles and entries that are new', async () => {
    const log = await logOf([512, 600])
    const known = await treeOf(log, 512)
    log.read.length = 0
    await treeOf(log, 600, known)
    expect(log.read.sort()).toEqual(['tile/0/002.p/88', 'tile/entries/002.p/88'])
    log.read.length = 0
    await treeOf(log, 600, await treeOf(log, 600, known))
    expect(log.read).toHaveLength(2)
  })

  it('starts with an empty log', async () => {
    const log = await logOf([300])
    const empty = await treeOf(log, 0)
    expect(isKnownTree(empty)).toBe(true)
    expect(await treeOf(log, 300, empty)).toEqual(await treeOf(log, 300))
    const wrong = { origin: ORIGIN, size: 0, root: leafHash(new Uint8Array()) }
    expect(await followLog(undefined, wrong, log.reader)).toMatchObject({ kind: 'broken' })
  })

  it('notices every changed byte of every tile and bundle', async () => {
    const log = await logOf([250, 300])
    const known = await treeOf(log, 250)
    const paths = [
      'tile/0/000',
      'tile/0/001.p/44',
      'tile/1/000.p/1',
      'tile/entries/000',
      'tile/entries/001.p/44',
    ]
    const step = fullOrShort({ full: 1, short: 97 })
    for (const path of paths) {
      const bytes = log.stored.get(path) ?? new Uint8Array()
      expect(bytes.length).toBeGreaterThan(31)
      for (let at = 0; at < bytes.length; at += step) {
        bytes[at] = (bytes[at] ?? 0) ^ 1
        expect(await followLog(known, log.head(300), log.reader)).toMatchObject({ kind: 'broken' })
        bytes[at] = (bytes[at] ?? 0) ^ 1
      }
    }
    expect(await followLog(known, log.head(300), log.reader)).toMatchObject({ kind: 'consistent' })
  })

  it('notices missing, short and exchanged files', async () => {
    const log = await logOf([300])
    for (const [path, bytes] of [...log.stored]) {
      for (const wrong of [undefined, bytes.subarray(1), new Uint8Array(bytes.length)]) {
        if (wrong === undefined) log.stored.delete(path)
        else log.stored.set(path, wrong)
        const followed = await followLog(undefined, log.head(300), log.reader)
        expect(followed).toMatchObject({ kind: 'broken', reason: expect.stringMatching(/tile/) })
      }
      log.stored.set(path, bytes)
    }
  })

  it('proves a fork, before and after a tile is full, in both directions', async () => {
    for (const [small, large, forkAt] of [
      [255, 300, 254],
      [256, 300, 0],
      [257, 600, 256],
      [512, 600, 100],
    ] as const) {
      const honest = await logOf([small, large])
      const forked = await logOf([small, large], forkAt)
      const known = await treeOf(honest, small)
      expect(await followLog(known, forked.head(large), forked.reader)).toEqual({
        kind: 'fork',
        reason: `the tree of size ${large} has another root for its first ${small} entries`,
      })
      expect(await followLog(known, forked.head(small), forked.reader)).toEqual({
        kind: 'fork',
        reason: `two roots for size ${small}`,
      })
      const later = await treeOf(honest, large)
      const older = await followLog(later, forked.head(small), honest.reader)
      expect(older).toMatchObject({ kind: 'fork' })
    }
  })

  it('does not call a log forked whose tiles do not lead to its root', async () => {
    const honest = await logOf([255, 300])
    const forked = await logOf([255, 300], 10)
    const known = await treeOf(honest, 255)
    const followed = await followLog(known, honest.head(300), forked.reader)
    expect(followed).toMatchObject({ kind: 'broken' })
  })

  it('calls a smaller tree older, if the log proves it consistent or has lost the tiles', async () => {
    const log = await logOf([200, 300])
    const behind = await logOf([200])
    const known = await treeOf(log, 300)
    for (const { reader } of [log, behind]) {
      const followed = await followLog(known, log.head(200), reader)
      expect(followed).toEqual({
        kind: 'older',
        reason: 'size 200 is less than the known size 300',
      })
    }
    const empty = await followLog(known, log.head(0), log.reader)
    expect(empty).toMatchObject({ kind: 'older' })
  })

  it('passes on that the log cannot be reached', async () => {
    const log = await logOf([200])
    const fails = () => Promise.reject(new Error('unreachable'))
    const reader = { tile: fails, bundle: fails }
    await expect(followLog(undefined, log.head(200), reader)).rejects.toThrow('unreachable')
  })
})

describe('compareHeads', () => {
  it('proves by a few tiles that a tree begins with the known one, at every edge', async () => {
    const sizes = [0, ...EDGES]
    const log = await logOf(EDGES)
    for (const [i, known] of sizes.entries()) {
      for (const next of sizes.slice(i)) {
        const compared = await compareHeads(log.head(known), log.head(next), log.reader.tile)
        expect(compared, `${known} ${next}`).toEqual({ kind: 'consistent' })
      }
    }
    expect(log.read.filter((path) => path.includes('entries'))).toEqual([])
  })

  it('proves a fork in both directions, and two roots of one size', async () => {
    const honest = await logOf([257, 600])
    const forked = await logOf([257, 600], 100)
    const compare = (known: number, next: number) =>
      compareHeads(honest.head(known), forked.head(next), forked.reader.tile)
    expect(await compare(257, 600)).toMatchObject({ kind: 'fork' })
    expect(await compare(600, 600)).toMatchObject({ kind: 'fork' })
    const back = await compareHeads(honest.head(600), forked.head(257), honest.reader.tile)
    expect(back).toMatchObject({ kind: 'fork' })
  })

  it('tells an older tree and files that do not match from a fork', async () => {
    const log = await logOf([257, 600])
    const older = await compareHeads(log.head(600), log.head(257), log.reader.tile)
    expect(older).toMatchObject({ kind: 'older' })
    const other = await logOf([257, 600], 100)
    const broken = await compareHeads(log.head(257), log.head(600), other.reader.tile)
    expect(broken).toMatchObject({ kind: 'broken' })
    log.stored.clear()
    const missing = await compareHeads(log.head(257), log.head(600), log.reader.tile)
    expect(missing).toMatchObject({ kind: 'broken' })
  })
})
