import { canDo, orgIdsOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams } from '../../../http/wire.ts'
import {
  CheckBody,
  FleetAnswer,
  FleetQuery,
  PairAnswer,
  toAgentIds,
  toFleetAnswer,
  toPairAnswer,
  toPairWanted,
} from './schema.ts'
import type { CoherenceService } from './service.ts'

const tags = ['coherence']

const READ = { access: 'coherence.read', invalidAs: 'validation_error' } as const

export function coherenceRoutes(app: Server, coherence: CoherenceService): void {
  app.post(
    '/v1/coherence/check',
    {
      config: { ...READ, feature: 'pairwise_coherence', perMinute: 60, refuses: [404] },
      schema: {
        operationId: 'checkCoherence',
        summary: 'Check how compatible the values of two agents are',
        description:
          'Each agent must be public or belong to your organisation. The result enters the scores of those of the two agents that belong to your organisation, and only if the key has the scope write.',
        tags,
        body: CheckBody,
        response: { 200: PairAnswer },
      },
    },
    async (req) =>
      toPairAnswer(
        await coherence.check(orgIdsOf(req), toPairWanted(req.body), {
          recordFor: canDo(req, 'coherence.record') ? requireTenant(req).orgId : undefined,
        }),
      ),
  )

  app.get(
    '/v1/orgs/:org_id/coherence',
    {
      config: { ...READ, feature: 'nway_coherence', perMinute: 30 },
      schema: {
        operationId: 'getFleetCoherence',
        summary: 'Get the coherence of the agents of an organisation',
        description: 'Cached for 5 minutes.',
        tags,
        params: OrgParams,
        querystring: FleetQuery,
        response: { 200: FleetAnswer },
      },
    },
    async (req, reply) => {
      const { agent_ids, include } = req.query
      const fleet = await coherence.fleet(req.params.org_id, {
        agentIds: toAgentIds(agent_ids),
        variant: include ?? '',
        isRecorded: canDo(req, 'coherence.record'),
      })
      reply.header('cache-control', 'private, max-age=300')
      return toFleetAnswer(fleet, { withPairs: include === 'pairwise' })
    },
  )
}
