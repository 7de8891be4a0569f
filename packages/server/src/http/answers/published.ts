import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from './error-map.ts'
import { bodyEtag } from './etag.ts'
import { markStale } from './stale.ts'

/** A serialised body with its ETag. */
type PublishedAnswer = { body: string; etag: string }

/** Content type, and the seconds for which public caches may store the response. */
type Publication = { seconds: number; type?: string }

export function withWeakEtag(answer: unknown): PublishedAnswer {
  const body = JSON.stringify(answer)
  return { body, etag: `W/${bodyEtag(body)}` }
}

/** Sends a cacheable response, or an uncacheable one if it is private (spec: reputation §8). */
export function sendPublished(
  reply: FastifyReply,
  view: { made: PublishedAnswer; isPrivate: boolean; staleMs?: number },
  publication: Publication,
) {
  reply.headers(publishedHeaders(view, publication))
  if (view.staleMs !== undefined) markStale(reply, view.staleMs)
  return reply.send(view.made.body)
}

/** Sends JSON that is already serialised. */
export function sendJsonText(reply: FastifyReply, json: string) {
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
