import type { FastifyReply } from 'fastify'
import { bodyEtag } from './etag.ts'

/** Bytes as they go out, with the tag that names them. */
export type PublishedAnswer = { body: string; etag: string }

const JSON_TYPE = 'application/json; charset=utf-8'

export function weakly(answer: unknown): PublishedAnswer {
  const body = JSON.stringify(answer)
  return { body, etag: `W/${bodyEtag(body)}` }
}

/** What anybody may keep for so many seconds, unless it is private (01 §7.8). */
export function sendPublished(
  reply: FastifyReply,
  { made, isPrivate }: { made: PublishedAnswer; isPrivate: boolean },
  { seconds, type = JSON_TYPE }: { seconds: number; type?: string },
) {
  return reply
    .type(type)
    .header('cache-control', isPrivate ? 'private, no-store' : `public, max-age=${seconds}`)
    .header('etag', made.etag)
    .send(made.body)
}
