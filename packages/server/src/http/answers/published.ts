import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from './error-map.ts'
import { bodyEtag } from './etag.ts'

/** Bytes as they go out, with the tag that names them. */
type PublishedAnswer = { body: string; etag: string }

/** How it goes out, and for how many seconds anybody may keep it. */
type Publication = { seconds: number; type?: string }

export function weakly(answer: unknown): PublishedAnswer {
  const body = JSON.stringify(answer)
  return { body, etag: `W/${bodyEtag(body)}` }
}

/** What anybody may keep, unless it is private (spec: reputation §8). */
export function sendPublished(
  reply: FastifyReply,
  view: { made: PublishedAnswer; isPrivate: boolean },
  publication: Publication,
) {
  return reply.headers(publishedHeaders(view, publication)).send(view.made.body)
}

/** JSON that is already text, and so is not serialised again. */
export function sendWritten(reply: FastifyReply, json: string) {
  return reply.header('content-type', JSON_TYPE).send(json)
}

function publishedHeaders(
  { made, isPrivate }: { made: PublishedAnswer; isPrivate: boolean },
  { seconds, type = JSON_TYPE }: Publication,
) {
  return {
    'content-type': type,
    'cache-control': isPrivate ? 'private, no-store' : `public, max-age=${seconds}`,
    etag: made.etag,
  }
}
