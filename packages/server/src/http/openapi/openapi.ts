import swagger from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { ruleOf } from '../../access.ts'
import type { RouteRules } from '../access/route-rules.ts'
import { MEDIA_TYPES } from '../body/body.ts'
import type { Server } from '../server.ts'

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http' as const,
    scheme: 'bearer',
    description: 'An API key, tsk_…; also accepted in the X-Service-Api-Key header.',
  },
  session: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A session token from POST /v1/auth/login or an accepted identity provider.',
  },
}

/** Must be registered before any route. The document is made from the routes alone. */
export async function describeApi(app: Server, info: { version: string }): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Touchstone',
        description:
          'Rates the trustworthiness of software agents and governs what they may do. Every error of an endpoint is `{"error": code, "message": text}`, of a team `{"error": text}`; an unknown address (404) or method (405) answers `{"error": text}`.',
        version: info.version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => ({
      url,
      schema: describe(schema ?? {}, route.config as Partial<RouteRules> | undefined, {
        url,
        method: String(route.method),
      }),
    }),
  })
}

type RouteShape = { url: string; method: string }

type Described = FastifySchema & { description?: string }

/** Adds what the rules already say: who may call, how often, and which refusals are possible. */
function describe(
  schema: Described,
  rules: Partial<RouteRules> | undefined,
  route: RouteShape,
): FastifySchema {
  if (rules?.access === undefined) return schema
  const response = { ...refusals(rules, schema, route), ...answers(rules, schema, route) }
  const headers = headersOf(rules, route)
  return {
    ...schema,
    ...(headers === undefined ? {} : { headers }),
    ...bodyOf(rules, schema),
    description: [schema.description, accessText(rules), limitText(rules)]
      .filter((text) => text !== undefined)
      .join(' '),
    security: security(rules),
    response,
    'x-access': rules.access,
    'x-rate-limit-per-minute': typeof rules.perMinute === 'number' ? rules.perMinute : null,
  } as FastifySchema
}

function bodyOf(rules: Partial<RouteRules>, schema: FastifySchema): object {
  if (schema.body === undefined) return {}
  const { media = 'json' } = rules
  if (media === 'protobuf') return { body: orProtobuf(schema.body as object) }
  return { consumes: [...MEDIA_TYPES[media]] }
}

function security(rules: Partial<RouteRules>): Record<string, string[]>[] {
  const { access } = rules
  if (access === undefined || access === 'public') return []
  const personOnly = access === 'user' || access === 'platform' || ruleOf(access).key === 'never'
  return personOnly ? [{ session: [] }] : [{ apiKey: [] }, { session: [] }]
}

function accessText(rules: Partial<RouteRules>): string {
  const { access } = rules
  if (access === undefined || access === 'public') return 'No credential needed.'
  if (access === 'user') return 'Any signed-in person.'
  if (access === 'platform') return 'Platform administrators.'
  const rule = ruleOf(access)
  const key = rule.key === 'never' ? 'not with an API key' : `API key scope ${rule.key}`
  return `Roles ${rule.roles.join(', ')}; ${key}.`
}

function limitText(rules: Partial<RouteRules>): string | undefined {
  if (rules.perMinute === 'unlimited') return undefined
  if (rules.perMinute === 'plan') return 'At most as many a second as the plan allows a caller.'
  return `At most ${rules.perMinute} a minute per ${rules.limitBy ?? 'caller'}.`
}

type Answers = Readonly<Record<string, object>>

/** What the routes need not repeat: YAML beside JSON, nothing new, and nothing to tell. */
function answers(rules: Partial<RouteRules>, schema: FastifySchema, route: RouteShape): Answers {
  const declared = (schema.response ?? {}) as Answers
  if (rules.media === 'protobuf') return mapValues(declared, orProtobuf)
  const shown = declared['200']
  if (shown === undefined) {
    const succeeds = Object.keys(declared).some((status) => status.startsWith('2'))
    return succeeds || route.method !== 'DELETE' ? declared : { ...declared, 204: NOTHING }
  }
  if (!isRead(route) || rules.media === 'events') return declared
  return {
    ...declared,
    200: rules.media === 'document' ? orYaml(shown) : shown,
    304: { description: 'As you have it already, by If-None-Match', type: 'null' },
  }
}

const NOTHING = { description: 'Done; no body', type: 'null' }

function orYaml(schema: object): object {
  return {
    description: 'As Accept asks for it; YAML is the document alone',
    content: {
      'application/json': { schema },
      'application/yaml': { schema: { type: 'string' } },
    },
  }
}

/** The same message in either encoding; an answer has that of its request. */
function orProtobuf(schema: object): object {
  const { description } = schema as { description?: string }
  return {
    ...(description === undefined ? {} : { description }),
    content: {
      'application/json': { schema },
      'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
    },
  }
}

function mapValues(answers: Answers, change: (schema: object) => object): Answers {
  return Object.fromEntries(Object.entries(answers).map(([key, value]) => [key, change(value)]))
}

/** Every read under /v1 has an ETag; health and the like are told afresh. */
function isRead(route: RouteShape): boolean {
  return route.method === 'GET' && route.url.startsWith('/v1/')
}

/** Only described: what a header may hold is judged by whoever reads it. */
function headersOf(rules: Partial<RouteRules>, route: RouteShape): object | undefined {
  const taken = Object.entries({
    'If-None-Match': isRead(route) && rules.media !== 'events',
    'If-Match': rules.refuses?.includes(412) ?? false,
    'Idempotency-Key': route.method === 'POST' && rules.access !== 'public',
    'X-Org-Id': actsForOne(rules, route),
    'Last-Event-ID': rules.media === 'events',
    Accept: rules.media === 'events',
  }).filter(([, isTaken]) => isTaken)
  if (taken.length === 0) return undefined
  const properties = taken.map(([name]) => [name, { type: 'string', ...HEADERS[name] }])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

const HEADERS: Readonly<Record<string, object>> = {
  'If-None-Match': { description: 'ETags you hold; when one is still right the answer is 304' },
  'If-Match': { description: 'The ETag you read; 412 when it has changed since' },
  'Idempotency-Key': {
    description: 'Repeating a request with its key gives the first answer again, for 24 hours',
    minLength: 1,
    maxLength: 255,
  },
  'X-Org-Id': { description: 'The organisation to act for, when you belong to several' },
  'Last-Event-ID': { description: 'The last event you heard; what came after it is told again' },
  Accept: { description: 'Must name text/event-stream' },
}

/** Neither the path nor the agent in it says which organisation is meant. */
function actsForOne(rules: Partial<RouteRules>, route: RouteShape): boolean {
  const { access, tenantFrom } = rules
  if (access === undefined || access === 'public') return false
  if (access === 'user' || access === 'platform') return false
  if (tenantFrom === 'agent' || tenantFrom === 'team') return false
  return !/[{:]org_id\b/.test(route.url)
}

const MEANING: Readonly<Record<number, string>> = {
  400: 'Missing or invalid parameters',
  401: 'Credential absent or invalid',
  402: 'The plan lacks the feature',
  403: 'Role, scope or plan does not allow it',
  404: 'Unknown, or not yours to see',
  409: 'The state of things does not allow it, or the same request is still running',
  410: 'Over',
  412: 'Changed since you read it',
  413: 'Body too large',
  415: 'Media type not accepted',
  422: 'Against a rule, or the Idempotency-Key was used with another body or transaction',
  429: 'Too many requests; see Retry-After',
  500: 'Server error',
  502: 'A system behind this one does not answer',
  503: 'Not ready; see Retry-After',
}

function refusals(rules: Partial<RouteRules>, schema: FastifySchema, route: RouteShape) {
  if (route.url.startsWith('/health')) return {}
  const invalid = rules.invalidAs === undefined ? 400 : 422
  const statuses = [invalid, 500, 503, ...(rules.refuses ?? [])]
  if (schema.body !== undefined) statuses.push(413, 415)
  if (rules.access !== 'public') statuses.push(401, 403)
  if (rules.feature === 'intelligence') statuses.push(402)
  if (rules.access !== 'public' && route.method === 'POST') statuses.push(409, 422)
  if (/[{:]/.test(route.url)) statuses.push(404)
  if (rules.perMinute !== 'unlimited') statuses.push(429)
  const refused = Object.fromEntries(
    statuses.map((status) => [status, problemSchema(MEANING[status] ?? '', rules.envelope)]),
  )
  return rules.media === 'protobuf' ? mapValues(refused, orProtobuf) : refused
}

function problemSchema(description: string, envelope: RouteRules['envelope']) {
  const error = { type: 'string' }
  if (envelope === 'rpc') {
    const code = { type: 'integer', description: 'of google.rpc.Code' }
    const message = { type: 'string' }
    const properties = { code, message, error }
    return { description, type: 'object', required: ['code', 'message', 'error'], properties }
  }
  return envelope === 'text'
    ? { description, type: 'object', required: ['error'], properties: { error } }
    : {
        description,
        type: 'object',
        required: ['error', 'message'],
        properties: {
          error,
          message: { type: 'string' },
          details: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                path: { type: 'string' },
                code: { type: 'string' },
                message: { type: 'string' },
              },
            },
          },
        },
      }
}
