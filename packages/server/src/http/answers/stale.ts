import type { FastifyReply, onSendHookHandler, preValidationHookHandler } from 'fastify'
import type { ReadContext, Replicas } from '../../database/replicas.ts'

declare module 'fastify' {
  interface FastifyRequest {
    reads: ReadContext | undefined
  }
}

const STALE = '110 - "Response is Stale"'

/** Says how old the answer may be, and that it must not be kept. */
export function markStale(reply: FastifyReply, ageMs: number): void {
  reply.headers({
    warning: STALE,
    'x-touchstone-stale': String(Math.ceil(ageMs / 1000)),
    'cache-control': 'no-store',
  })
}

/** Lets routes that declare it read from replicas. Runs before the guard, which reads as well. */
export const preferReplicas =
  (replicas: Replicas): preValidationHookHandler =>
  (req, _reply, done) => {
    const { reads } = req.route.config
    if (reads === undefined) {
      done()
      return
    }
    req.reads = { mayBeStale: reads === 'stale' }
    replicas.prefer(req.reads, done)
  }

/** Marks answers of such routes that may be stale. */
export const markStaleReads =
  (replicas: Replicas): onSendHookHandler =>
  (req, reply, payload, done) => {
    const ageMs = req.reads?.mayBeStale === true ? ageOf(req.reads, replicas) : undefined
    if (ageMs !== undefined && reply.statusCode < 400) markStale(reply, ageMs)
    done(null, payload)
  }

/** An answer from memory is at most as old as the last answer of the primary. */
function ageOf({ staleMs }: ReadContext, replicas: Replicas): number | undefined {
  return staleMs ?? replicas.awayMs()
}
