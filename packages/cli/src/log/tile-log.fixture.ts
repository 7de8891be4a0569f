import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ed25519PublicKey, ed25519Signer } from '@touchstone/protocol/crypto'
import {
  appendToTiles,
  bundlePath,
  bundlesOfGrowth,
  checkpointBody,
  consistencyProofFromTiles,
  createNoteKey,
  signNote,
  TILE_WIDTH,
  type TileReader,
  tilePath,
  writeAddCheckpoint,
  writeBundle,
  writeVkey,
} from '@touchstone/protocol/log'
import { leafHash } from '@touchstone/protocol/merkle'
import { onFileFinished } from '#harness/on-file-finished.ts'

export const ORIGIN = 'log.example/log'

const seed = new Uint8Array(32).fill(7)
const key = createNoteKey({ name: ORIGIN, type: 'ed25519', publicKey: ed25519PublicKey(seed) })
const sign = ed25519Signer(seed)

export const LOG_VKEY = writeVkey(key)

/** One history of a log: its files, and a checkpoint for each size it grew through. */
export type History = Awaited<ReturnType<typeof createHistory>>

/** Entries from `forkAt` on differ from those of other histories. */
export async function createHistory(sizes: readonly number[], forkAt = Number.POSITIVE_INFINITY) {
  const files = new Map<string, Uint8Array>()
  const checkpoints = new Map<number, string>()
  const entries: Uint8Array[] = []
  const read: TileReader = async (tile) => {
    const bytes = files.get(tilePath(tile))
    if (bytes === undefined) throw new Error(`no ${tilePath(tile)}`)
    return bytes
  }
  for (const size of [0, ...sizes]) {
    const from = entries.length
    while (entries.length < size) {
      const at = entries.length
      entries.push(new TextEncoder().encode(`entry ${at}${at >= forkAt ? ' forked' : ''}`))
    }
    const leaves = entries.slice(from).map(leafHash)
    const { tiles, root } = await appendToTiles({ size: from, leaves }, read)
    for (const { tile, bytes } of tiles) files.set(tilePath(tile), bytes)
    for (const bundle of bundlesOfGrowth(from, size)) {
      const start = bundle.index * TILE_WIDTH
      files.set(bundlePath(bundle), writeBundle(entries.slice(start, start + bundle.width)))
    }
    const body = checkpointBody({ origin: ORIGIN, size, root })
    checkpoints.set(size, signNote(body, { key, sign }))
  }
  const checkpoint = (size: number): string => {
    const text = checkpoints.get(size)
    if (text === undefined) throw new Error(`no checkpoint of size ${size}`)
    return text
  }
  return {
    files,
    checkpoint,
    /** The request to a witness that knows `old`. */
    async addCheckpoint(old: number, size: number): Promise<string> {
      const isGrowth = old > 0 && old < size
      const hashes = isGrowth
        ? await consistencyProofFromTiles({ first: old, second: size }, read)
        : []
      return writeAddCheckpoint({ old, hashes, checkpoint: checkpoint(size) })
    },
  }
}

/** Serves a history as tlog-tiles; tests make it lie. */
export async function startTileLog(history: History, size: number) {
  const shown = {
    files: history.files,
    checkpoint: history.checkpoint(size),
    isSilent: false,
    /** The number of requests that are answered with 429 before the next file. */
    refusals: 0,
  }
  const requests: string[] = []
  const server = createServer((req, res) => {
    const path = (req.url ?? '').replace('/log/', '')
    requests.push(path)
    if (shown.isSilent) return void res.destroy()
    if (shown.refusals > 0) {
      shown.refusals -= 1
      return void res.writeHead(429, { 'retry-after': '0' }).end()
    }
    const body = path === 'checkpoint' ? shown.checkpoint : shown.files.get(path)
    res.writeHead(body === undefined ? 404 : 200).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/log`,
    requests,
    shown,
    show(other: History, at: number, cosignatures = '') {
      shown.files = other.files
      shown.checkpoint = `${other.checkpoint(at)}${cosignatures}`
    },
  }
}
