import { actorOf } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import {
  Ended,
  NewSession,
  Session,
  SessionParams,
  StartedSession,
  toSession,
  toStarted,
} from './schema.ts'
import type { ImpersonationService } from './service.ts'

const tags = ['administration']

/** For platform administrators. */
export function impersonationRoutes(app: Server, impersonation: ImpersonationService): void {
  app.post(
    '/v1/impersonate',
    {
      config: { access: 'platform', perMinute: 10, secrets: ['token'], refuses: [404] },
      schema: {
        operationId: 'startImpersonation',
        summary: 'Impersonate a user',
        description: 'Read-only, for one hour.',
        tags,
        body: NewSession,
        response: { 201: StartedSession },
      },
    },
    async (req, reply) => {
      const { user_id: targetUserId, reason } = req.body
      const started = await impersonation.start({ actor: actorOf(req), targetUserId, reason })
      return reply.code(201).send(toStarted(started))
    },
  )

  app.get(
    '/v1/impersonation/:id',
    {
      config: { access: 'platform', perMinute: 60, refuses: [410] },
      schema: {
        operationId: 'getImpersonation',
        summary: 'Get an active impersonation session',
        tags,
        params: SessionParams,
        response: { 200: Session },
      },
    },
    async (req) => toSession(await impersonation.get(req.params.id)),
  )

  app.post(
    '/v1/impersonation/:id/end',
    {
      config: { access: 'platform', perMinute: 30, refuses: [410] },
      schema: {
        operationId: 'endImpersonation',
        summary: 'End your impersonation session',
        tags,
        params: SessionParams,
        response: { 200: Ended },
      },
    },
    async (req) => {
      await impersonation.end(req.params.id, actorOf(req))
      return { ended: true as const, session_id: req.params.id }
    },
  )
}
