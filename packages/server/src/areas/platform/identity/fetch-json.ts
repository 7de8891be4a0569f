import { fetch, type Response } from 'undici'

/** Gets a JSON document; throws for every way of not getting one. */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>

const BYTES_MAX = 256 * 1024
const REDIRECTS_MAX = 3

/**
 * For addresses the operator configured. Redirects are followed by hand, because one must not lead
 * to another scheme, and the size is counted after decompression.
 */
export const fetchJson: FetchJson = async (url, signal) => {
  let target = new URL(url)
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    assertHttp(target)
    const response = await fetch(target, {
      signal,
      redirect: 'manual',
      headers: { accept: 'application/json' },
    })
    const next = redirectTarget(response, target)
    if (next === undefined) return readJson(response, target)
    await response.body?.cancel()
    if (next.protocol !== target.protocol) {
      throw new Error(`${target.origin} redirects to another scheme`)
    }
    target = next
  }
  throw new Error(`${target.origin} redirects too often`)
}

function assertHttp(target: URL): void {
  if (target.protocol === 'https:' || target.protocol === 'http:') return
  throw new Error(`${target.protocol} is not a scheme to fetch from`)
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location')
  if (response.status < 300 || response.status >= 400 || location === null) return undefined
  return new URL(location, from)
}

async function readJson(response: Response, from: URL): Promise<unknown> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`${from.origin} answered ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    // Leaving the loop cancels the rest of the body.
    if (bytes > BYTES_MAX) throw new Error(`${from.origin} answered more than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
