import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import { limitKey } from '../../../http/identity/client-address.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams } from '../../../http/wire.ts'
import { tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { EventStream, StreamQuery } from './schema.ts'
import type { Sink, StreamService } from './service.ts'

/** How long a closed stream may take to flush. */
const LEAVE_MS = 2000

const EVENT_ID = /^evt-[0-9a-f-]{36}$/

export function streamRoutes(app: Server, streams: StreamService): void {
  // Streams must end before the server waits for open connections.
  app.addHook('preClose', async () => streams.endAll())
  app.get(
    '/v1/orgs/:org_id/stream',
    {
      config: { access: 'agents.read', perMinute: 60, media: 'events' },
      schema: {
        operationId: 'streamEvents',
        summary: 'Stream the live activity of an organisation',
        description: 'As server-sent events.',
        tags: ['stream'],
        params: OrgParams,
        querystring: StreamQuery,
        response: { 200: EventStream },
      },
    },
    async (req, reply) => {
      assertWanted(req)
      const body = new Readable({ read: () => undefined })
      const closed = await streams.open({
        orgId: requireTenant(req).orgId,
        userId: actorOf(req).userId,
        address: limitKey(req.clientIp),
        credential: credentialOf(req),
        lastEventId: lastEventIdOf(req),
        replay: req.query.replay ?? 0,
        sink: sinkOf(body, reply.raw),
        isStillAdmitted: (askOnce) => req.isStillAdmitted(askOnce),
      })
      body.once('close', closed)
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(body)
    },
  )
}

/** A followed link or a HEAD request must not keep a connection open. */
function assertWanted(req: FastifyRequest): void {
  const wants = /\btext\/event-stream\b/i.test(req.headers.accept ?? '')
  if (wants && req.method === 'GET') return
  throw new Problem('invalid_request', 'Accept: must include text/event-stream')
}

/** A malformed id becomes an unknown one, which resets the stream. */
function lastEventIdOf(req: FastifyRequest): string | undefined {
  const given = req.headers['last-event-id']
  if (given === undefined || given === '') return undefined
  return typeof given === 'string' && EVENT_ID.test(given) ? given : 'unknown'
}

/** A hash, so that the credential is not kept for as long as the stream. */
function credentialOf({ headers }: FastifyRequest): string {
  const names = ['authorization', 'x-service-api-key', 'x-impersonate-token']
  return tokenHash(JSON.stringify(names.map((name) => headers[name] ?? null)))
}

function sinkOf(body: Readable, response: ServerResponse): Sink {
  return {
    push: (text) => void body.push(text),
    waiting: () => body.readableLength,
    end() {
      body.push(null)
      // A reader that reads nothing would otherwise keep the socket and what was written to it.
      const cut = setTimeout(() => response.destroy(), LEAVE_MS)
      response.once('close', () => clearTimeout(cut))
    },
  }
}
