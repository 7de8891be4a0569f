import type { Readable } from 'node:stream'

/** Bodies and answers that are read whole (spec: model-gateway §6). */
export const WHOLE_BYTES_MAX = 32 * 1024 * 1024

/**
 * Reads a stream to its end. Undefined if it is longer than `bytesMax`; the rest is then left unread.
 * One copy at most: a body in one chunk is that chunk. `onBytes` gets the size so far, and may throw.
 */
export async function readWhole(
  source: Readable,
  bytesMax: number,
  onBytes?: (size: number) => void,
): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > bytesMax) return undefined
    onBytes?.(size)
    chunks.push(chunk)
  }
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size)
}
