import { Transform } from 'node:stream'
import type { preParsingHookHandler } from 'fastify'
import type { GuardedRequest } from '../access/guarded.ts'

const cut = new WeakSet<object>()

/**
 * Keeps the first bytes of a longer body and reads the rest without keeping it, so that the route can
 * answer in its own way instead of with 413. The bodyLimit of the route is what is read.
 */
export function cutBodyAt(bytesMax: number): preParsingHookHandler {
  return (req, _reply, payload, done) => {
    let received = 0
    const kept = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        const room = Math.max(0, bytesMax - received)
        received += chunk.length
        // Fastify compares this with Content-Length and the limit.
        Object.assign(kept, { receivedEncodedLength: received })
        if (received > bytesMax) cut.add(req)
        next(null, chunk.subarray(0, room))
      },
    })
    payload.on('error', (err) => kept.destroy(err))
    done(null, payload.pipe(kept))
  }
}

/** Whether only the beginning of the body was kept. */
export function wasCut(req: GuardedRequest): boolean {
  return cut.has(req)
}
