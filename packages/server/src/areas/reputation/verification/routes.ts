import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { orgIdsOf } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import { Bundle, ScoreVerification, toScoreVerification, VerifyQuery } from './schema.ts'
import type { VerificationService } from './service.ts'

const tags = ['reputation']

/** Public checks of a published score. Limit of verify: spec: interface, Limits. */
export function verificationRoutes(app: Server, verification: VerificationService): void {
  app.get(
    '/v1/reputation/:agent_id/verify',
    {
      config: { access: 'public', perMinute: 30, refuses: [403, 422] },
      schema: {
        operationId: 'verifyReputation',
        summary: 'Verify the evidence behind a score',
        tags,
        params: AgentParams,
        querystring: VerifyQuery,
        response: { 200: ScoreVerification },
      },
    },
    async (req, reply) => {
      const { depth = 'tail' } = req.query
      const { agent_id: agentId } = req.params
      const { proof, isPrivate } = await verification.verify(agentId, orgIdsOf(req), depth)
      return keptBy(reply, isPrivate || depth === 'full').send(toScoreVerification(proof))
    },
  )

  app.get(
    '/v1/reputation/:agent_id/bundle',
    {
      config: { access: 'public', perMinute: 30, refuses: [422] },
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
