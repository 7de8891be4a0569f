import type { FastifyInstance } from 'fastify'
import { clientAddress } from '../../../http/identity/client-address.ts'
import type { Server } from '../../../http/server.ts'
import type { RelayService } from './service.ts'

/**
 * Mounted beside the API and not behind its guard: the credential is the token of a connection, bodies
 * are streams, and errors have the shape of the provider's.
 */
export function relayRoutes(
  app: Server,
  relay: RelayService,
  { silentMsMax, trustedHops }: { silentMsMax: number; trustedHops: number },
): void {
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
        if ('setTimeout' in request.socket) request.socket.setTimeout(silentMsMax)
        await relay.relay({ request, response, clientIp })
      },
    })
  })
}
