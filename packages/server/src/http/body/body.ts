import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { JSON_LIMITS } from '@touchstone/protocol/base'
import type { FastifyInstance } from 'fastify'
import { Problem, toError } from '../../kernel/problem.ts'
import type { GuardedRequest } from '../access/guarded.ts'
import { parseStrictJson } from './strict-json.ts'
import { parseStrictYaml, YAML_BYTES_MAX } from './strict-yaml.ts'

/** Default limit of a body, before and after gzip decoding (spec: platform §1.4). */
export const BODY_BYTES_MAX = 1024 * 1024

const KIB = 1024
/**
 * For routes without a credential, where a few kilobytes from anybody would become megabytes. A
 * larger body must be sent as it is.
 */
const PUBLIC_DECODED_KIB_MAX = 64
/** Fewer steps on the event loop than with the default of 16 KiB. */
const DECODED_CHUNK_BYTES = 256 * KIB

export const MEDIA_TYPES = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  document: ['application/json', 'text/yaml', 'application/yaml', 'application/x-yaml'],
  events: ['text/event-stream'],
  protobuf: ['application/json', 'application/x-protobuf'],
} as const

/**
 * The JSON form of protobuf messages nests each value three levels deeper. Text that cannot be
 * stored is accepted here, because the route rejects the affected item without failing the batch.
 */
const PROTOBUF_JSON_LIMITS = { depthMax: 64, valuesMax: 150_000, anyText: true }

/** Anybody can send these, ten a second from each address. */
const PUBLIC_JSON_LIMITS = { ...JSON_LIMITS, valuesMax: 10_000 }

const EXACT_JSON_LIMITS = { ...JSON_LIMITS, exactIntegers: true }

const decompress = promisify(gunzip)

/**
 * Checks size, media type and encoding while reading, and passes on the bytes as sent. `decodeBody`
 * and `parseBody` read them after the caller was authorised (spec: platform §1.2).
 */
export function readRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (req, body, done) => {
    try {
      assertMediaType(req)
      assertEncoding(req)
      if (!isGzip(req)) assertSize(req, body)
      done(null, body)
    } catch (err) {
      done(toError(err))
    }
  })
}

function assertMediaType(req: GuardedRequest): void {
  const accepted: readonly string[] = MEDIA_TYPES[req.route.config.media ?? 'json']
  const given = req.headers['content-type']
  if (given === undefined || given === accepted[0]) return
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (accepted.includes(type)) return
  throw new Problem(
    'unsupported_media_type',
    `The media type of the body must be ${accepted.join(' or ')}.`,
  )
}

function assertEncoding(req: GuardedRequest): void {
  const encoding = encodingOf(req)
  if (encoding === undefined || encoding === 'identity' || encoding === 'gzip') return
  throw new Problem('unsupported_media_type', 'Content-Encoding must be gzip or absent.')
}

function isGzip(req: GuardedRequest): boolean {
  return encodingOf(req) === 'gzip'
}

function encodingOf(req: GuardedRequest): string | undefined {
  return req.headers['content-encoding']?.trim().toLowerCase()
}

/** Decompresses the body on the thread pool of libuv. Called once the caller is authorised. */
export async function decodeBody(req: GuardedRequest): Promise<void> {
  const { body, route } = req
  if (!isGzip(req) || !Buffer.isBuffer(body) || body.length === 0) return
  if (route.schema?.body === undefined) return
  const { bodyLimit = BODY_BYTES_MAX, config } = route
  const isPublic = config.access === 'public'
  const bytesMax = isPublic ? Math.min(bodyLimit, PUBLIC_DECODED_KIB_MAX * KIB) : bodyLimit
  let decoded: Buffer
  try {
    decoded = await decompress(body, { maxOutputLength: bytesMax, chunkSize: DECODED_CHUNK_BYTES })
  } catch (err) {
    if (!(err instanceof RangeError)) {
      throw new Problem('invalid_request', 'The body is not valid gzip.')
    }
    throw new Problem(
      'payload_too_large',
      isPublic
        ? `A gzip body of this endpoint must have at most ${PUBLIC_DECODED_KIB_MAX} KiB when decoded. Send it without gzip.`
        : 'The decoded body exceeds the size limit of this endpoint.',
    )
  }
  assertSize(req, decoded)
  req.body = decoded
}

function assertSize(req: GuardedRequest, body: Buffer): void {
  if (!isYaml(req) || body.length <= YAML_BYTES_MAX) return
  throw new Problem('payload_too_large', `A YAML body must have at most ${YAML_BYTES_MAX} bytes.`)
}

/** Larger bodies are parsed one per turn of the event loop, so that ten at once add up to nothing. */
const TURN_BYTES_MIN = 32 * KIB

/** Whether parsing the body takes so long that it needs a turn of the event loop for itself. */
export function needsTurn({ body, route }: GuardedRequest): boolean {
  return Buffer.isBuffer(body) && body.length >= TURN_BYTES_MIN && route.config.parses === undefined
}

/** The bytes of a body that the route does not let parse. */
export function rawBody({ body }: GuardedRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** Replaces the raw body by its parsed value; a missing body becomes an empty object. */
export function parseBody(req: GuardedRequest): void {
  if (req.route.schema?.body === undefined || req.route.config.parses !== undefined) return
  const raw = req.body
  if (!Buffer.isBuffer(raw) || raw.length === 0) {
    req.body = {}
    return
  }
  const { media, access, exactIntegers } = req.route.config
  // Stays raw, because only the route knows the message types.
  if (media === 'protobuf' && isProtobuf(req)) return
  if (media === 'form') {
    req.body = parseForm(raw)
    return
  }
  const own = access === 'public' ? PUBLIC_JSON_LIMITS : JSON_LIMITS
  const ofRoute = exactIntegers === true ? EXACT_JSON_LIMITS : own
  const limits = media === 'protobuf' ? PROTOBUF_JSON_LIMITS : ofRoute
  const parsed = isYaml(req) ? parseStrictYaml(raw) : parseStrictJson(raw, limits)
  if (!parsed.ok) {
    const details = [{ path: '', code: 'parse_error', message: parsed.reason }]
    throw new Problem('invalid_request', `The body is invalid: ${parsed.reason}`, { details })
  }
  req.body = parsed.value
}

/** Ten times as many as any form of ours has. */
const FORM_FIELDS_MAX = 100

function parseForm(raw: Buffer): Record<string, string> {
  const text = raw.toString('utf8')
  if (text.split('&', FORM_FIELDS_MAX + 1).length > FORM_FIELDS_MAX) {
    throw new Problem('invalid_request', `The form must have at most ${FORM_FIELDS_MAX} fields.`)
  }
  return Object.fromEntries(new URLSearchParams(text))
}

function isYaml(req: GuardedRequest): boolean {
  const type = req.headers['content-type'] ?? ''
  return type !== 'application/json' && /^\s*(text|application)\/(x-)?yaml\b/i.test(type)
}

export function isProtobuf(req: GuardedRequest): boolean {
  return /^\s*application\/x-protobuf\s*(;|$)/i.test(req.headers['content-type'] ?? '')
}
