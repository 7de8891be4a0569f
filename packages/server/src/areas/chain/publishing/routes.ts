import { actorOf, orgIdsOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import {
  ProofAnswer,
  PublicationAnswer,
  PublishBody,
  toProof,
  toPublication,
  toWanted,
} from './schema.ts'
import type { PublishingService } from './service.ts'

const tags = ['on-chain']

export function publishingRoutes(app: Server, publications: PublishingService): void {
  app.post(
    '/v1/on-chain/publish-scores',
    {
      config: { access: 'onchain.write', perMinute: 10, refuses: [404, 502] },
      schema: {
        operationId: 'publishScores',
        summary: 'Publish scores on the chain in one transaction',
        description:
          'Answers once the transaction is mined. Only scores that the service computed: the current one of each agent, or one of the last 24 hours.',
        tags,
        body: PublishBody,
        response: { 200: PublicationAnswer },
      },
    },
    async (req) => {
      const { orgId } = requireTenant(req)
      return toPublication(await publications.publish(orgId, toWanted(req.body), actorOf(req)))
    },
  )

  app.get(
    '/v1/on-chain/verify-proof/:agent_id',
    {
      config: { access: 'onchain.read', perMinute: 30, refuses: [502] },
      schema: {
        operationId: 'verifyPublishedScore',
        summary: 'Verify the published score of an agent against the chain',
        tags,
        params: AgentParams,
        response: { 200: ProofAnswer },
      },
    },
    async (req) => toProof(await publications.prove(req.params.agent_id, orgIdsOf(req))),
  )
}
