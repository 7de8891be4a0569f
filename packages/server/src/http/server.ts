import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
  type preValidationHookHandler,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import type { Guard } from './access/guard.ts'
import { allowedMethods, createRouteTable } from './access/route-table.ts'
import { applyCors, type CorsOptions, corsHeaders } from './answers/cors.ts'
import { sendProblem, toProblem } from './answers/error-map.ts'
import { applyEtag } from './answers/etag.ts'
import type { Idempotency } from './answers/idempotency.ts'
import { BODY_BYTES_MAX, parseBody, readRawBodies } from './body/body.ts'
import { createValidators } from './body/validators.ts'
import './access/route-rules.ts'

export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type ServerOptions = {
  baseUrl: string
  cors: CorsOptions
  guard: Guard
  idempotency: Idempotency
  isStillAdmitted(req: FastifyRequest): Promise<boolean>
  onRequest(req: FastifyRequest): void
  /** Runs what comes after the guard, such as the handler, in surroundings of its own. */
  around?: ((req: FastifyRequest, work: () => void) => void) | undefined
  /** Told of every answered request under /v1, for logs and metrics. */
  onAnswered(req: FastifyRequest, reply: FastifyReply): void
  /** Told of every error that is ours, not the caller's. */
  onFault(req: Pick<FastifyRequest, 'id'>, err: unknown): void
}

const UNKNOWN_ROUTE: FastifyRequest['route'] = {
  url: undefined,
  method: [],
  bodyLimit: undefined,
  schema: undefined,
  config: {},
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** A server without routes: how it reads, refuses and answers. Features mount on `api`. */
export function createServer(options: ServerOptions): Server {
  const app: Server = fastify({
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    // Long enough for any id a caller may choose (spec: evidence §0), short enough to be no burden.
    routerOptions: { maxParamLength: 256, ignoreDuplicateSlashes: false },
    genReqId: requestId,
    clientErrorHandler: (_err, socket) => {
      if (!socket.writable) return
      const body = '{"error":"invalid_request","message":"The request could not be read."}'
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    },
    frameworkErrors: (err, req, reply) => {
      void reply.headers(securityHeaders(options.baseUrl)).header('x-request-id', req.id)
      sendProblem(req, reply, toProblem(err, req.id))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(createValidators())
  // Answers are built by `toX` functions; a schema-driven writer would silently drop fields.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.decorateRequest('clientIp', '')
  app.decorateRequest('route')
  app.decorateRequest('tenant', undefined)
  app.decorateRequest('idempotency', undefined)
  app.decorateRequest('isStillAdmitted', function (this: FastifyRequest) {
    return options.isStillAdmitted(this)
  })
  const headers = securityHeaders(options.baseUrl)
  app.addHook('onRequest', (req, reply, done) => {
    if (req.is404) req.route = UNKNOWN_ROUTE
    reply.headers(headers).header('x-request-id', req.id)
    done()
  })
  answerErrors(app, options)
  readRawBodies(app)
  return app
}

/** Mounts features behind the guard. Routes outside, such as health, pay for none of this. */
export function mountApi(app: Server, options: ServerOptions, mount: (api: Server) => void): void {
  void app.register(async (scope) => {
    const api = scope.withTypeProvider<TypeBoxTypeProvider>()
    beginEach(api, options)
    api.addHook('preValidation', options.guard)
    const { around } = options
    // Not sooner: a body arrives in the surroundings of its connection.
    if (around !== undefined) api.addHook('preHandler', (req, _reply, done) => around(req, done))
    api.addHook('onSend', (req, reply, payload, done) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      if (req.idempotency === undefined) {
        done(null, applyEtag(req, reply, payload))
        return
      }
      const send = () => done(null, applyEtag(req, reply, payload))
      options.idempotency.finish(req, reply, payload).then(send, done)
    })
    api.addHook('onResponse', (req, reply, done) => {
      options.onAnswered(req, reply)
      done()
    })
    mount(api)
  })
}

/** What requests ask of their route is put together once, not for each of them. */
function beginEach(api: Server, options: ServerOptions): void {
  api.addHook('onRoute', (given) => {
    const { url, method, bodyLimit = BODY_BYTES_MAX, schema, config = {} } = given
    const route = { url, method, bodyLimit, schema, config }
    const begin: onRequestHookHandler = (req, reply, done) => {
      req.route = route
      applyCors(req, reply, options.cors)
      options.onRequest(req)
      done()
    }
    given.onRequest = [begin, ...[given.onRequest ?? []].flat()]
    if (schema?.body === undefined) return
    given.preValidation = [...[given.preValidation ?? []].flat(), readBody]
  })
}

/** After all that a route asks of its path: who may not be there is not told of a body (spec: platform §1.2). */
const readBody: preValidationHookHandler = (req, _reply, done) => {
  try {
    parseBody(req)
  } catch (err) {
    done(err as Error)
    return
  }
  done()
}

function answerErrors(app: Server, options: ServerOptions): void {
  const table = createRouteTable(app)
  app.setErrorHandler((err, req, reply) => {
    const problem = toProblem(err, req.id)
    if (problem.status >= 500) options.onFault(req, problem.cause ?? err)
    sendProblem(req, reply, problem)
  })
  app.setNotFoundHandler((req, reply) => {
    reply.header('cache-control', 'no-store')
    const allowed = allowedMethods(table, req.url)
    if (allowed.length === 0) {
      return reply.code(404).send({ error: `There is nothing at ${req.method} ${pathOf(req)}.` })
    }
    reply.header('allow', allowed.join(', '))
    if (req.method === 'OPTIONS') {
      const cors = corsHeaders({ req, cors: options.cors, publicGet: table.isPublicGet(req.url) })
      return reply.headers(cors).code(204).send()
    }
    return reply
      .code(405)
      .send({ error: `${req.method} is not possible here; use ${allowed.join(', ')}.` })
  })
}

function pathOf(req: FastifyRequest): string {
  return (req.url.split('?', 1)[0] ?? '').slice(0, 200)
}

function requestId(req: IncomingMessage): string {
  const given = req.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : `req-${randomUUID()}`
}

function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    ...(baseUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}
