import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { orgIdsOf } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import {
  AuditBody,
  Bundle,
  FullAudit,
  ScoreVerification,
  toFullAudit,
  toScoreVerification,
} from './schema.ts'
import type { VerificationService } from './service.ts'

const tags = ['reputation']

/** Public checks of a published score. Limit of verify: spec: interface, Limits. */
export function verificationRoutes(app: Server, verification: VerificationService): void {
  app.get(
    '/v1/reputation/:agent_id/verify',
    {
      config: { access: 'public', reads: 'stale', perMinute: 30, refuses: [422, 503] },
      schema: {
        operationId: 'verifyReputation',
        summary: 'Verify the evidence behind a score',
        description:
          'Recomputes the checkpoints since the last audit and a random sample of older ones from what is stored now. Requests within ten seconds share one result.',
        tags,
        params: AgentParams,
        response: { 200: ScoreVerification },
      },
    },
    async (req) => {
      const proof = await verification.verify(req.params.agent_id, orgIdsOf(req))
      return toScoreVerification(proof)
    },
  )

  app.post(
    '/v1/reputation/:agent_id/verify',
    {
      config: { access: 'chains.audit', tenantFrom: 'agent', perMinute: 5 },
      schema: {
        operationId: 'auditReputation',
        summary: 'Recompute all evidence of an agent in the background',
        description:
          'One walk at a time: while one is under way, the answer shows that one. GET of the same path shows the result.',
        tags,
        params: AgentParams,
        body: AuditBody,
        response: { 202: FullAudit },
      },
    },
    async (req, reply) => {
      const full = await verification.audit(req.params.agent_id)
      return reply.code(202).send(toFullAudit(full))
    },
  )

  app.get(
    '/v1/reputation/:agent_id/bundle',
    {
      config: { access: 'public', reads: 'stale', perMinute: 30, refuses: [422] },
      schema: {
        operationId: 'getReputationBundle',
        summary: 'Get everything needed to recompute and check a score',
        description: 'One JSON object per line.',
        tags,
        params: AgentParams,
        response: { 200: Bundle },
      },
    },
    async (req, reply) => {
      const { texts, isPrivate } = await verification.bundle(req.params.agent_id, orgIdsOf(req))
      // Back-pressure: the next chunk is built once the caller has read this one.
      const stream = Readable.from(texts, { highWaterMark: 1 })
      return keptBy(reply, isPrivate).type('application/x-ndjson').send(stream)
    },
  )
}

/** spec: reputation §8. */
function keptBy(reply: FastifyReply, isPrivate: boolean): FastifyReply {
  return reply.header('cache-control', isPrivate ? 'private, no-store' : 'public, max-age=60')
}
