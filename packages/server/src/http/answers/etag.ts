import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** spec: platform §1.4: by version where the handler set one, else from the body; a match answers 304. */
export function applyEtag(req: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const reads = req.method === 'GET' || req.method === 'HEAD'
  if (!reads || reply.statusCode !== 200 || typeof payload !== 'string') return payload
  const own = reply.getHeader('etag')
  const etag = typeof own === 'string' ? own : bodyEtag(payload)
  if (etag !== own) reply.header('etag', etag)
  const wanted = req.headers['if-none-match']
  if (wanted === undefined || !matches(wanted, etag)) return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return null
}

export function bodyEtag(payload: string): string {
  return `"${createHash('sha256').update(payload).digest('hex').slice(0, 32)}"`
}

/** Weak comparison (RFC 9110 §13.1.2): a `W/` prefix does not matter for reading. */
export function matches(header: string, etag: string): boolean {
  const candidates = header.split(',', 50).map((item) => item.trim().replace(/^W\//, ''))
  return candidates.includes('*') || candidates.includes(etag.replace(/^W\//, ''))
}
