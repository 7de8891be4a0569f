import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** Pieces are copied into one write up to this size; larger ones are worth a write of their own. */
const JOINED_BYTES_MAX = 64 * 1024

/** Writes an answer to its client. */
export type AnswerWriter = {
  write(pieces: readonly Uint8Array[]): void
  end(): void
}

/**
 * Joins the pieces that are written while one read of the provider is handled: an event of a model has
 * a hundred bytes, and each write of chunked encoding costs four of its socket. The head leaves with the
 * first of them, or alone if there is none yet.
 */
export function createAnswerWriter(response: ServerResponse): AnswerWriter {
  let waiting: Uint8Array[] = []
  let bytes = 0
  let hasWritten = false

  const flush = (): void => {
    const [pieces, size] = [waiting, bytes]
    waiting = []
    bytes = 0
    if (pieces.length === 0 || response.destroyed || response.writableEnded) return
    hasWritten = true
    const [only] = pieces
    if (pieces.length === 1 && only !== undefined) response.write(only)
    else if (size <= JOINED_BYTES_MAX) response.write(Buffer.concat(pieces, size))
    else for (const piece of pieces) response.write(piece)
  }
  setImmediate(() => {
    if (!(hasWritten || response.destroyed || response.writableEnded)) response.flushHeaders()
  })

  return {
    write(pieces) {
      if (waiting.length === 0 && pieces.length > 0) process.nextTick(flush)
      for (const piece of pieces) {
        waiting.push(piece)
        bytes += piece.byteLength
      }
    },
    end() {
      flush()
      if (!response.writableEnded) response.end()
    },
  }
}

export type Flow = {
  body: Readable
  response: ServerResponse
  signal: AbortSignal
  onChunk(chunk: Uint8Array): void
  /** Undefined if the next chunk can be read at once. */
  beforeNext?: (() => Promise<void> | undefined) | undefined
}

/**
 * Hands on the chunks of a body as they come, no faster than the client takes the answer. Without an
 * iterator, whose promises cost more than a chunk itself. Rejects if the body breaks off.
 */
export function flow({ body, response, signal, onChunk, beforeNext }: Flow): Promise<void> {
  return new Promise((resolve, reject) => {
    let isPausing = false
    const fail = (err: unknown): void => {
      reject(err)
      body.destroy()
    }

    /** After the chunks of one read, because the answer is written then. */
    const judgePace = (): void => {
      isPausing = false
      const needsDrain = response.writableNeedDrain
      const isAwaited = beforeNext?.()
      if (!needsDrain && isAwaited === undefined) return
      body.pause()
      const drained = needsDrain ? once(response, 'drain', { signal }) : undefined
      Promise.all([drained, isAwaited]).then(() => body.resume(), fail)
    }

    body.on('data', (chunk: Uint8Array) => {
      try {
        onChunk(chunk)
      } catch (err) {
        fail(err)
        return
      }
      if (isPausing) return
      isPausing = true
      process.nextTick(judgePace)
    })
    body.once('end', resolve)
    body.once('error', reject)
    body.once('close', () => reject(new Error('the body ended before its end')))
  })
}
