import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import { EventStream } from './schema.ts'
import type { Sink, StreamService } from './service.ts'

/** A reader that was ended gets so long to take what is left. */
const LEAVE_MS = 2000

const EVENT_ID = /^evt-[0-9a-f-]{36}$/

export function streamRoutes(app: Server, streams: StreamService): void {
  // Before the server waits for its connections, which these would keep open.
  app.addHook('preClose', async () => streams.endAll())
  app.get(
    '/v1/orgs/:org_id/stream',
    {
      config: { access: 'agents.read', perMinute: 60, media: 'events' },
      schema: {
        summary: 'What happens in the organisation, as it happens (server-sent events)',
        tags: ['stream'],
        params: OrgParams,
        response: { 200: EventStream },
      },
    },
    async (req, reply) => {
      assertWanted(req)
      const body = new Readable({ read: () => undefined })
      const closed = await streams.open({
        orgId: requireTenant(req).orgId,
        lastEventId: lastEventIdOf(req),
        sink: sinkOf(body),
        isStillAdmitted: () => req.isStillAdmitted(),
      })
      body.once('close', closed)
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(body)
    },
  )
}

/** Whoever follows a link or looks with HEAD must not hold a connection for ever. */
function assertWanted(req: FastifyRequest): void {
  const wants = /\btext\/event-stream\b/i.test(req.headers.accept ?? '')
  if (wants && req.method === 'GET') return
  throw new Problem('invalid_request', 'Ask for it with Accept: text/event-stream.')
}

/** What cannot be one of ours is passed on as an id that nobody knows, which is a reset. */
function lastEventIdOf(req: FastifyRequest): string | undefined {
  const given = req.headers['last-event-id']
  if (given === undefined || given === '') return undefined
  return typeof given === 'string' && EVENT_ID.test(given) ? given : 'unknown'
}

function sinkOf(body: Readable): Sink {
  return {
    push: (text) => void body.push(text),
    waiting: () => body.readableLength,
    end() {
      body.push(null)
      const cut = setTimeout(() => body.destroy(), LEAVE_MS)
      body.once('close', () => clearTimeout(cut))
    },
  }
}
