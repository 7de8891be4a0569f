import swagger from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { ruleOf } from '../../access.ts'
import { canNameAgent } from '../access/bound-key.ts'
import type { RouteRules } from '../access/route-rules.ts'
import { MEDIA_TYPES } from '../body/body.ts'
import type { Server } from '../server.ts'
import { hoistSchemas } from './components.ts'
import { describeResponse, errorResponse } from './responses.ts'

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http' as const,
    scheme: 'bearer',
    description: 'An API key (tsk_…). The X-Service-Api-Key header is also accepted.',
  },
  session: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A session token from POST /v1/auth/login or an accepted identity provider.',
  },
}

export type ApiDescription = {
  version: string
  /** The URL of the service for clients. */
  baseUrl: string
  tags: readonly { name: string; description: string }[]
}

/** Must be called before any route is registered. Builds the document from the routes only. */
export async function describeApi(app: Server, api: ApiDescription): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Touchstone',
        description:
          'Rates the trustworthiness of software agents and governs what they are allowed to do. Errors are `{"error": code, "message": text}`. The teams endpoints answer errors with `{"error": text}`, as does any unknown path (404) or method (405).',
        version: api.version,
        contact: { name: 'Touchstone contributors' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: api.baseUrl, description: 'This service' }],
      tags: [...api.tags],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => ({
      url,
      schema: describe(schema ?? {}, route.config, {
        url,
        method: String(route.method),
      }),
    }),
    transformObject: (built) =>
      'openapiObject' in built ? hoistSchemas(built.openapiObject) : built.swaggerObject,
  })
}

type RouteShape = { url: string; method: string }

type Described = FastifySchema & { description?: string }

/** Adds the access, rate limit and errors that the rules of the route imply. */
function describe(
  schema: Described,
  rules: Partial<RouteRules> | undefined,
  route: RouteShape,
): FastifySchema {
  if (rules?.access === undefined) return schema
  const response = { ...errors(rules, schema, route), ...answers(rules, schema, route) }
  const headers = headersOf(rules, route)
  const described = {
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
  }
  return described
}

function bodyOf(rules: Partial<RouteRules>, schema: FastifySchema): object {
  if (schema.body === undefined) return {}
  const { media = 'json' } = rules
  const json = { content: { 'application/json': { schema: schema.body } } }
  if (media === 'protobuf') return { body: orProtobuf(json) }
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
  if (access === 'user') return 'For any signed-in user.'
  if (access === 'platform') return 'For platform administrators.'
  const rule = ruleOf(access)
  const key = rule.key === 'never' ? 'no API keys' : `API keys with scope ${rule.key}`
  return `Roles: ${rule.roles.join(', ')}; ${key}.`
}

function limitText(rules: Partial<RouteRules>): string | undefined {
  if (rules.perMinute === 'unlimited') return undefined
  if (rules.perMinute === 'plan') return "Rate limit: the plan's requests per second and caller."
  return `Rate limit: ${rules.perMinute} a minute per ${rules.limitBy ?? 'caller'}.`
}

type Answer = { title?: string; description?: string; type?: string; content?: object }

type Answers = Readonly<Record<string, Answer>>

/** Successful responses, including those that routes do not declare: YAML, 304 and 204. */
function answers(rules: Partial<RouteRules>, schema: FastifySchema, route: RouteShape): Answers {
  // The cast is safe, because routes declare a JSON schema per status.
  const declared = mapValues((schema.response ?? {}) as Answers, toResponse)
  if (rules.media === 'protobuf') return mapValues(declared, (_, answer) => orProtobuf(answer))
  const shown = declared['200']
  if (shown === undefined) {
    const succeeds = Object.keys(declared).some((status) => status.startsWith('2'))
    return succeeds || route.method !== 'DELETE' ? declared : { ...declared, 204: NO_CONTENT }
  }
  if (!isRead(route) || rules.media === 'events') return declared
  return {
    ...declared,
    200: rules.media === 'document' ? orYaml(shown) : shown,
    304: { description: 'Not modified: an ETag in If-None-Match still matches', type: 'null' },
  }
}

const NO_CONTENT = { description: 'Success, without a body', type: 'null' }

function toResponse(status: string, schema: Answer): Answer {
  const { title, description = describeResponse(status, title), type, content } = schema
  if (content !== undefined || type === 'null') return { ...schema, description }
  return { description, content: { 'application/json': { schema } } }
}

/** Adds YAML, which contains only the document, as selected by Accept. */
function orYaml({ description, content }: Answer): Answer {
  return {
    description: `${description}. As YAML, only the document`,
    content: { ...content, 'application/yaml': { schema: { type: 'string' } } },
  }
}

/** Adds the protobuf encoding; a response has the encoding of its request. */
function orProtobuf({ content, ...rest }: Answer): Answer {
  const binary = { schema: { type: 'string', format: 'binary' } }
  return { ...rest, content: { ...content, 'application/x-protobuf': binary } }
}

function mapValues(answers: Answers, change: (key: string, value: Answer) => Answer): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([key, value]) => [key, change(key, value)]),
  )
}

/** Every read under /v1 has an ETag; health checks and discovery documents have none. */
function isRead(route: RouteShape): boolean {
  return route.method === 'GET' && route.url.startsWith('/v1/')
}

/** For the document only: the code that reads a header validates it. */
function headersOf(rules: Partial<RouteRules>, route: RouteShape): object | undefined {
  const taken = Object.entries({
    'If-None-Match': isRead(route) && rules.media !== 'events',
    'If-Match': rules.refuses?.includes(412) ?? false,
    'Idempotency-Key': route.method === 'POST' && rules.access !== 'public',
    'X-Org-Id': acceptsOrgHeader(rules, route),
    'Last-Event-ID': rules.media === 'events',
    Accept: rules.media === 'events',
  }).filter(([, isTaken]) => isTaken)
  if (taken.length === 0) return undefined
  const properties = taken.map(([name]) => [name, { type: 'string', ...HEADERS[name] }])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

const HEADERS: Readonly<Record<string, object>> = {
  'If-None-Match': {
    description: 'ETags of cached responses; if one still matches, the response is 304',
  },
  'If-Match': {
    description: 'The ETag of the version you read; 412 if the resource has changed since',
  },
  'Idempotency-Key': {
    description: 'A retry with the same key within 24 hours gets the first response again',
    minLength: 1,
    maxLength: 255,
  },
  'X-Org-Id': { description: 'The organisation to act for, if you belong to several' },
  'Last-Event-ID': { description: 'The id of the last event you received; later events are sent' },
  Accept: { description: 'Must include text/event-stream' },
}

/** Whether neither the path nor a resource in it determines the organisation. */
function acceptsOrgHeader(rules: Partial<RouteRules>, route: RouteShape): boolean {
  const { access, tenantFrom } = rules
  if (access === undefined || access === 'public') return false
  if (access === 'user' || access === 'platform') return false
  if (tenantFrom === 'agent' || tenantFrom === 'team') return false
  return !/[{:]org_id\b/.test(route.url)
}

function errors(rules: Partial<RouteRules>, schema: FastifySchema, route: RouteShape) {
  const { envelope } = rules
  if (route.url.startsWith('/health')) return { 400: errorResponse(400, route.url, envelope) }
  const invalid = rules.invalidAs === undefined ? 400 : 422
  const statuses = [invalid, 500, 503, ...(rules.refuses ?? [])]
  if (schema.body !== undefined) statuses.push(413, 415)
  if (rules.access !== 'public') statuses.push(401, 403)
  if (rules.feature === 'intelligence') statuses.push(402)
  if (rules.access !== 'public' && route.method === 'POST') statuses.push(409, 422)
  const namesAgent = rules.access !== 'public' && canNameAgent({ config: rules, schema })
  if (/[{:]/.test(route.url) || namesAgent) statuses.push(404)
  if (rules.perMinute !== 'unlimited') statuses.push(429)
  const failed = Object.fromEntries(
    statuses.map((status) => [status, errorResponse(status, route.url, envelope)]),
  )
  return rules.media === 'protobuf' ? mapValues(failed, (_, answer) => orProtobuf(answer)) : failed
}
