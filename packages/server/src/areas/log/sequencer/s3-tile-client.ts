import { setTimeout as sleep } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import type { S3Settings } from '../../../log-config.ts'
import {
  assertSameTile,
  partialsOf,
  putInGroups,
  type TileFile,
  type TileStore,
} from './tile-store.ts'

const TIMEOUT_MS = 10_000
const TRIES_MAX = 4
const BACKOFF_MS = 100
/** Characters of an S3 error that the service log quotes. */
const SHOWN_MAX = 300

/**
 * Tiles in a bucket. A tile is put on the condition that there is none, so that no other process, and
 * no database restored from an old backup, can replace it.
 */
export function createS3TileStore(settings: S3Settings): TileStore {
  const { accessKeyId, secretAccessKey, region } = settings
  // Retries are our own, because those of the library do not end at a time.
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  const base = `${settings.endpoint}/${settings.bucket}`
  const urlOf = (path: string) => `${base}/${settings.prefix}${path}`

  const send = async (url: string, init: RequestInit): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await client.fetch(url, {
          ...init,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        if (attempt === TRIES_MAX || !isTransient(response.status)) return response
      } catch (err) {
        if (attempt === TRIES_MAX) throw err
      }
      await sleep(BACKOFF_MS * 2 ** attempt)
    }
  }

  const get = async (path: string): Promise<Uint8Array | undefined> => {
    const response = await send(urlOf(path), { method: 'GET' })
    if (response.status === 404) {
      await response.arrayBuffer()
      return undefined
    }
    await assertStatus(response, [200], path)
    return new Uint8Array(await response.arrayBuffer())
  }

  const put = async (tile: TileFile): Promise<void> => {
    const headers = { 'if-none-match': '*', 'content-type': 'application/octet-stream' }
    const body = Buffer.from(tile.bytes)
    const response = await send(urlOf(tile.path), { method: 'PUT', headers, body })
    // 409: another request puts the same tile at this moment.
    await assertStatus(response, [200, 201, 204, 409, 412], tile.path)
    if (response.status === 409 || response.status === 412) {
      assertSameTile(tile, await get(tile.path))
    }
    await response.arrayBuffer()
  }

  const list = async (folder: string): Promise<string[]> => {
    const url = `${base}?list-type=2&prefix=${encodeURIComponent(settings.prefix + folder)}`
    const response = await send(url, { method: 'GET' })
    await assertStatus(response, [200], folder)
    // Paths of tiles have no character that XML escapes, and a tile has fewer partial ones than a page.
    const keys = (await response.text()).matchAll(/<Key>([^<]+)<\/Key>/g)
    return [...keys].map(([, key = '']) => key.slice(settings.prefix.length))
  }

  return {
    get,

    putAll: (files) => putInGroups(files, put),

    async deletePartials(fullPath) {
      for (const path of await list(partialsOf(fullPath))) {
        const response = await send(urlOf(path), { method: 'DELETE' })
        await assertStatus(response, [200, 204, 404], path)
        await response.arrayBuffer()
      }
    },
  }
}

function isTransient(status: number): boolean {
  return status === 429 || status >= 500
}

async function assertStatus(
  response: Response,
  expected: readonly number[],
  path: string,
): Promise<void> {
  if (expected.includes(response.status)) return
  const text = (await response.text()).slice(0, SHOWN_MAX)
  throw new Error(`the store of the log answered ${response.status} for ${path}: ${text}`)
}
