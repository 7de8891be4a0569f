import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Adds an ETag of the body unless the handler set one, and answers 304 if it matches If-None-Match
 * (spec: platform §1.4).
 */
export function applyEtag(req: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') return payload
  const own = reply.getHeader('etag')
  const etag = typeof own === 'string' ? own : bodyEtag(payload)
  if (etag !== own) reply.header('etag', etag)
  const wanted = req.headers['if-none-match']
  if (wanted === undefined || !matches(wanted, etag)) return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  // Fastify drains the body of HEAD, and does not expect null there.
  return req.method === 'HEAD' ? Readable.from([]) : null
}

export function bodyEtag(payload: string): string {
  return `"${createHash('sha256').update(payload).digest('hex').slice(0, 32)}"`
}

/** Weak comparison, which ignores the prefix `W/` (RFC 9110, section 13.1.2). */
export function matches(header: string, etag: string): boolean {
  const candidates = header.split(',', 50).map((item) => item.trim().replace(/^W\//, ''))
  return candidates.includes('*') || candidates.includes(etag.replace(/^W\//, ''))
}
