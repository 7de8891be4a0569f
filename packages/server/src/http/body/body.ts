import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import type { GuardedRequest } from '../access/guarded.ts'
import { parseStrictJson } from './strict-json.ts'
import { parseStrictYaml, YAML_BYTES_MAX } from './strict-yaml.ts'

/** spec: platform §1.4: 1 MiB unless the route says otherwise, after gzip decoding. */
export const BODY_BYTES_MAX = 1024 * 1024

export const MEDIA_TYPES = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  document: ['application/json', 'text/yaml', 'application/yaml', 'application/x-yaml'],
  events: ['text/event-stream'],
  protobuf: ['application/json', 'application/x-protobuf'],
} as const

/**
 * Messages that are protobuf by birth wrap each value thrice when they are written as JSON. A text
 * that cannot be kept is the fault of one among many, which the route refuses alone.
 */
const PROTOBUF_JSON_LIMITS = { depthMax: 64, anyText: true }

/** Bodies that say they are gzip and are not, until that may be told. */
const undecodable = new WeakSet<object>()

/**
 * Size and media type are judged while reading; what the bytes say is judged only after the caller
 * was let in (spec: platform §1.2), so the reader hands on raw bytes and `parseBody` reads them later.
 */
export function readRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (req, body, done) => {
    try {
      assertMediaType(req)
      const decoded = decode(req, body as Buffer)
      assertSize(req, decoded)
      done(null, decoded)
    } catch (err) {
      done(err as Error)
    }
  })
}

function assertMediaType(req: GuardedRequest): void {
  const accepted: readonly string[] = MEDIA_TYPES[req.route.config.media ?? 'json']
  const given = req.headers['content-type']
  if (given === undefined || given === accepted[0]) return
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (accepted.includes(type)) return
  throw new Problem('unsupported_media_type', `Send the body as ${accepted.join(' or ')}.`)
}

function decode(req: GuardedRequest, body: Buffer): Buffer {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body
  if (encoding !== 'gzip') {
    throw new Problem('unsupported_media_type', 'Content-Encoding must be gzip or absent.')
  }
  try {
    return gunzipSync(body, { maxOutputLength: req.route.bodyLimit ?? BODY_BYTES_MAX })
  } catch (err) {
    if (err instanceof RangeError) {
      throw new Problem(
        'payload_too_large',
        'The decoded body is larger than this endpoint accepts.',
      )
    }
    undecodable.add(body)
    return body
  }
}

function assertSize(req: GuardedRequest, body: Buffer): void {
  if (!isYaml(req) || body.length <= YAML_BYTES_MAX) return
  throw new Problem('payload_too_large', `YAML must have at most ${YAML_BYTES_MAX} bytes.`)
}

/** The body as the route's schema will judge it; no body at all reads as an empty object. */
export function parseBody(req: GuardedRequest): void {
  if (req.route.schema?.body === undefined) return
  const raw = req.body
  if (!Buffer.isBuffer(raw) || raw.length === 0) {
    req.body = {}
    return
  }
  if (undecodable.has(raw)) throw new Problem('invalid_request', 'The body is not valid gzip.')
  const { media } = req.route.config
  // As bytes: only the route knows the messages.
  if (media === 'protobuf' && isProtobuf(req)) return
  if (media === 'form') {
    req.body = Object.fromEntries(new URLSearchParams(raw.toString('utf8')))
    return
  }
  const limits = media === 'protobuf' ? PROTOBUF_JSON_LIMITS : undefined
  const parsed = isYaml(req) ? parseStrictYaml(raw) : parseStrictJson(raw, limits)
  if (!parsed.ok) {
    const details = [{ path: '', code: 'parse_error', message: parsed.reason }]
    throw new Problem('invalid_request', `The body cannot be read: ${parsed.reason}`, { details })
  }
  req.body = parsed.value
}

function isYaml(req: GuardedRequest): boolean {
  const type = req.headers['content-type'] ?? ''
  return type !== 'application/json' && /^\s*(text|application)\/(x-)?yaml\b/i.test(type)
}

export function isProtobuf(req: GuardedRequest): boolean {
  return /^\s*application\/x-protobuf\s*(;|$)/i.test(req.headers['content-type'] ?? '')
}
