import { setTimeout as sleep } from 'node:timers/promises'
import {
  bundlePath,
  LOG_ENTRY_BYTES_MAX,
  type LogReader,
  TILE_WIDTH,
  tilePath,
} from '@touchstone/protocol/log'

/** Reads the files of a log over HTTP (c2sp.org/tlog-tiles). */
export type LogClient = LogReader & { checkpoint(): Promise<string> }

const TIMEOUT_MS = 30_000
const WAIT_S_MAX = 60
const TRIES_MAX = 5
const CHECKPOINT_BYTES_MAX = 64 * 1024
const HASH_BYTES = 32
/** With the two bytes of its length. */
const ENTRY_BYTES_MAX = 2 + LOG_ENTRY_BYTES_MAX

/** The log did not answer, or not as a log does. */
export class LogUnreachable extends Error {}

export function createLogClient(logUrl: string, stop: AbortSignal): LogClient {
  const base = logUrl.replace(/\/+$/, '')

  /** The first read of a large log can exceed the limit of requests, which ends within a minute. */
  async function fetchPatiently(url: string): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)])
      const res = await fetch(url, { signal })
      const waitS = res.status === 429 ? Number(res.headers.get('retry-after')) : Number.NaN
      if (!(waitS >= 0 && waitS <= WAIT_S_MAX) || tries === TRIES_MAX) return res
      await res.body?.cancel()
      await sleep(waitS * 1000, undefined, { signal: stop })
    }
  }

  /** Undefined for 404. */
  async function get(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
    const url = `${base}/${path}`
    try {
      const res = await fetchPatiently(url)
      if (res.status === 404) {
        await res.body?.cancel()
        return undefined
      }
      if (!res.ok) {
        await res.body?.cancel()
        throw new LogUnreachable(`${url} answers ${res.status}`)
      }
      return await read(res, { url, bytesMax })
    } catch (err) {
      if (err instanceof LogUnreachable || stop.aborted) throw err
      throw new LogUnreachable(`${url} does not answer`, { cause: err })
    }
  }

  /** A log may delete a partial tile once the full one exists. */
  async function getPart(place: PartialFile): Promise<Uint8Array | undefined> {
    const { width, path, fullPath, cut, bytesEach } = place
    const part = await get(path, width * bytesEach)
    if (part !== undefined || width === TILE_WIDTH) return part
    const full = await get(fullPath, TILE_WIDTH * bytesEach)
    return full === undefined ? undefined : cut(full)
  }

  return {
    async checkpoint() {
      const bytes = await get('checkpoint', CHECKPOINT_BYTES_MAX)
      if (bytes === undefined) throw new LogUnreachable(`${base}/checkpoint answers 404`)
      return new TextDecoder().decode(bytes)
    },
    tile: (tile) =>
      getPart({
        width: tile.width,
        path: tilePath(tile),
        fullPath: tilePath({ ...tile, width: TILE_WIDTH }),
        bytesEach: HASH_BYTES,
        cut: (full) => full.subarray(0, HASH_BYTES * tile.width),
      }),
    bundle: (bundle) =>
      getPart({
        width: bundle.width,
        path: bundlePath(bundle),
        fullPath: bundlePath({ ...bundle, width: TILE_WIDTH }),
        bytesEach: ENTRY_BYTES_MAX,
        cut: (full) => firstEntries(full, bundle.width),
      }),
  }
}

type PartialFile = {
  width: number
  path: string
  fullPath: string
  bytesEach: number
  cut(full: Uint8Array): Uint8Array
}

function firstEntries(bundle: Uint8Array, count: number): Uint8Array {
  let end = 0
  for (let i = 0; i < count; i++) end += 2 + ((bundle[end] ?? 0) << 8) + (bundle[end + 1] ?? 0)
  return bundle.subarray(0, end)
}

async function read(
  res: Response,
  { url, bytesMax }: { url: string; bytesMax: number },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of res.body ?? []) {
    size += chunk.length
    if (size > bytesMax) throw new LogUnreachable(`${url} answers more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
