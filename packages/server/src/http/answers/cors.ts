import type { FastifyReply, FastifyRequest } from 'fastify'

export type CorsOptions = { origins: readonly string[]; keyHeaders: readonly string[] }

const EXPOSED =
  'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, ETag'

const ALLOWED = [
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'X-Org-Id',
  'X-Request-Id',
  'X-Service-Api-Key',
]

/** Credentials are never allowed, because callers send tokens, not cookies (spec: platform §1.4). */
function allowOrigin(
  req: FastifyRequest,
  cors: CorsOptions,
  publicGet: boolean,
): string | undefined {
  const origin = req.headers.origin
  if (origin === undefined) return undefined
  if (publicGet) return '*'
  return cors.origins.includes(origin) ? origin : undefined
}

/** Sets the headers of an actual request. */
export function applyCors(req: FastifyRequest, reply: FastifyReply, cors: CorsOptions): void {
  const publicGet = req.method === 'GET' && req.route.config.access === 'public'
  const origin = allowOrigin(req, cors, publicGet)
  if (origin === undefined) return
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', EXPOSED)
  if (origin !== '*') reply.header('vary', 'Origin')
}

/** Returns the headers of a preflight request, which has no route. */
export function corsHeaders(input: {
  req: FastifyRequest
  cors: CorsOptions
  publicGet: boolean
}): Record<string, string> {
  const wanted = input.req.headers['access-control-request-method']
  const publicGet = input.publicGet && wanted === 'GET'
  const origin = allowOrigin(input.req, input.cors, publicGet)
  if (origin === undefined || typeof wanted !== 'string') return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': publicGet ? 'GET' : 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': [...ALLOWED, ...input.cors.keyHeaders].join(', '),
    'access-control-max-age': '600',
    ...(origin === '*' ? {} : { vary: 'Origin' }),
  }
}
