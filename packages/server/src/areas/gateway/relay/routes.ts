import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../../../http/identity/client-address.ts'
import type { Server } from '../../../http/server.ts'
import type { RelayService } from './service.ts'

/** Spans of requests, if the service is traced. */
export type RelayTracing = {
  begin(req: FastifyRequest): void
  within(req: FastifyRequest, work: () => void): void
  end(req: FastifyRequest, reply: FastifyReply): void
}

export type RelayMount = {
  silentMsMax: number
  trustedHops: number
  tracing: RelayTracing | undefined
}

/** A client is silent while it waits for its provider, and must still get the error of one that is. */
const ANSWER_MS = 60_000

const UNTRACED: RelayTracing = {
  begin: () => undefined,
  within: (_req, work) => work(),
  end: () => undefined,
}

const ROUTE: FastifyRequest['route'] = {
  url: '/llm/*',
  method: [],
  bodyLimit: undefined,
  schema: undefined,
  config: {},
}

/**
 * Mounted beside the API and not behind its guard: the credential is the token of a connection, bodies
 * are streams, and errors have the shape of the provider's.
 */
export function relayRoutes(
  app: Server,
  relay: RelayService,
  { silentMsMax, trustedHops, tracing }: RelayMount,
): void {
  const traced = tracing ?? UNTRACED
  void app.register(async (scope: FastifyInstance) => {
    scope.removeAllContentTypeParsers()
    // The body stays in the request, so that the relay reads it at the pace of the provider.
    scope.addContentTypeParser('*', (_req, _payload, done) => done(null))
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/llm/*',
      schema: { hide: true },
      handler: async (req, reply) => {
        reply.hijack()
        const { raw: request } = req
        const { raw: response } = reply
        const clientIp = clientAddress({
          socketAddress: request.socket.remoteAddress,
          forwardedFor: request.headers['x-forwarded-for'],
          trustedHops,
        })
        // A request injected within the process, as the demo sends them, has no socket to time out.
        if ('setTimeout' in request.socket) request.socket.setTimeout(silentMsMax + ANSWER_MS)
        // The path has the token in it, so the span gets that of the route.
        req.route = ROUTE
        traced.begin(req)
        response.once('close', () => traced.end(req, reply))
        traced.within(req, () => void relay.relay({ request, response, clientIp }))
      },
    })
  })
}
