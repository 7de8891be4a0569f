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
import type { Replicas } from '../database/replicas.ts'
import { toError } from '../kernel/problem.ts'
import { createBodyIds, type RegisteredIds } from './access/agent-ids.ts'
import { confineBody } from './access/bound-key.ts'
import type { AskOnce, Guard } from './access/guard.ts'
import { allowedMethods, createRouteTable } from './access/route-table.ts'
import { applyCors, type CorsOptions, corsHeaders } from './answers/cors.ts'
import { sendProblem, toProblem } from './answers/error-map.ts'
import { applyEtag } from './answers/etag.ts'
import type { Idempotency } from './answers/idempotency.ts'
import { markStaleReads, preferReplicas } from './answers/stale.ts'
import { BODY_BYTES_MAX, needsTurn, parseBody, readRawBodies } from './body/body.ts'
import { createTurns } from './body/turns.ts'
import { createValidators, createValidatorsButBody } from './body/validators.ts'
import { limitConnections } from './limits/connection-limit.ts'
import './access/route-rules.ts'

export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** Logs the cause if a part of the answer failed with status 500 or above. */
    reportFault(err: unknown): void
  }
}

export type ServerOptions = {
  baseUrl: string
  cors: CorsOptions
  /** 0 for no limit. */
  connectionsPerAddress: number
  guard: Guard
  registeredIds: RegisteredIds
  idempotency: Idempotency
  isStillAdmitted(req: FastifyRequest, askOnce?: AskOnce): Promise<boolean>
  /** Answers a browser that opens an address that does not exist; undefined for other requests. */
  missingPage?: ((req: FastifyRequest, reply: FastifyReply) => unknown) | undefined
  onRequest(req: FastifyRequest): void
  /** Runs the hooks and the handler after the guard in an asynchronous context. */
  runInContext?: ((req: FastifyRequest, work: () => void) => void) | undefined
  /** Undefined without read replicas. */
  replicas?: Replicas | undefined
  /** Called after every response under /v1, for logs and metrics. */
  onAnswered(req: FastifyRequest, reply: FastifyReply): void
  /** Called for every error with status 500 or above. */
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

/**
 * A connection that neither sends nor accepts a byte for this long is closed. Longer than any handler
 * waits, and than the interval between comments of an event stream.
 */
const STALLED_MS_MAX = 120_000

/** A server without routes. Features add theirs with `mountApi`. */
export function createServer(options: ServerOptions): Server {
  const app: Server = fastify({
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: 30_000,
    connectionTimeout: STALLED_MS_MAX,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    // Longer than any id that a caller can choose (spec: evidence §0).
    routerOptions: { maxParamLength: 256, ignoreDuplicateSlashes: false },
    genReqId: requestId,
    clientErrorHandler: (_err, socket) => {
      if (!socket.writable) return
      const body = '{"error":"invalid_request","message":"The request is malformed."}'
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    },
    frameworkErrors: (err, req, reply) => {
      void reply.headers(securityHeaders(options.baseUrl)).header('x-request-id', req.id)
      sendProblem(req, reply, toProblem(err, req.id))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()
  if (options.connectionsPerAddress > 0) {
    limitConnections(app.server, options.connectionsPerAddress)
  }
  app.setValidatorCompiler(createValidators())
  // Responses are built by `toX` functions; a serialiser by schema would silently drop fields.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.decorateRequest('clientIp', '')
  app.decorateRequest('route')
  app.decorateRequest('tenant', undefined)
  app.decorateRequest('idempotency', undefined)
  app.decorateRequest('charge', undefined)
  app.decorateRequest('reads', undefined)
  app.decorateRequest('isStillAdmitted', function (this: FastifyRequest, askOnce?: AskOnce) {
    return options.isStillAdmitted(this, askOnce)
  })
  app.decorateRequest('reportFault', function (this: FastifyRequest, err: unknown) {
    options.onFault(this, err)
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

/** Mounts features behind the guard. Other routes, such as health checks, skip its hooks. */
export function mountApi(app: Server, options: ServerOptions, mount: (api: Server) => void): void {
  void app.register(async (scope) => {
    const api = scope.withTypeProvider<TypeBoxTypeProvider>()
    prepareRoutes(api, options)
    if (options.replicas !== undefined) {
      api.addHook('preValidation', preferReplicas(options.replicas))
      api.addHook('onSend', markStaleReads(options.replicas))
    }
    api.addHook('preValidation', options.guard)
    api.addHook('preHandler', createBodyIds(options.registeredIds))
    api.addHook('preHandler', confineBody)
    const { runInContext } = options
    // Not in an earlier hook, because reading the body resumes in the context of the connection.
    if (runInContext !== undefined) {
      api.addHook('preHandler', (req, _reply, done) => runInContext(req, done))
    }
    api.addHook('onSend', (req, reply, payload, done) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      const send = () => done(null, applyEtag(req, reply, payload))
      const { conflictCost } = req.route.config
      const isCharged = reply.statusCode === 409 && conflictCost !== undefined
      if (req.idempotency === undefined && !isCharged) {
        send()
        return
      }
      const charge = isCharged ? req.charge?.(conflictCost - 1) : undefined
      const finish =
        req.idempotency === undefined ? undefined : options.idempotency.finish(req, reply, payload)
      Promise.all([charge, finish]).then(send, done)
    })
    api.addHook('onResponse', (req, reply, done) => {
      options.onAnswered(req, reply)
      done()
    })
    mount(api)
  })
}

/** Prepares `req.route` once per route instead of once per request. */
function prepareRoutes(api: Server, options: ServerOptions): void {
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
    if (config.parses !== undefined) given.validatorCompiler = createValidatorsButBody()
    if (schema?.body === undefined) return
    given.preValidation = [...[given.preValidation ?? []].flat(), readBody]
  })
}

/** Runs after the guard, so that unauthorised callers get no errors of the body (spec: platform §1.2). */
const readBody: preValidationHookHandler = (req, _reply, done) => {
  const parse = (): void => {
    try {
      parseBody(req)
    } catch (err) {
      done(toError(err))
      return
    }
    done()
  }
  if (needsTurn(req)) inTurn(parse)
  else parse()
}

/** Shared by all servers of the process, because they share its event loop. */
const inTurn = createTurns()

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
      const page = options.missingPage?.(req, reply)
      if (page !== undefined) return page
      return reply.code(404).send({ error: `No such path: ${req.method} ${pathOf(req)}.` })
    }
    reply.header('allow', allowed.join(', '))
    if (req.method === 'OPTIONS') {
      const cors = corsHeaders({ req, cors: options.cors, publicGet: table.isPublicGet(req.url) })
      return reply.headers(cors).code(204).send()
    }
    return reply.code(405).send({
      error: `${req.method} is not allowed for this path. Allowed: ${allowed.join(', ')}.`,
    })
  })
}

/** Without tokens that a client put into a path by mistake. */
function pathOf(req: FastifyRequest): string {
  const path = (req.url.split('?', 1)[0] ?? '').slice(0, 200)
  return path.replaceAll(/tgw_[0-9A-Za-z]*/g, '[token]')
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
