import { requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toInstant } from '../../../http/wire.ts'
import { ModelUsage, toModelUsage, UsageQuery } from './schema.ts'
import type { UsageService } from './usage-service.ts'

export function usageRoutes(app: Server, usage: UsageService): void {
  app.get(
    '/v1/agents/:agent_id/model-usage',
    {
      config: { access: 'agents.read', tenantFrom: 'agent', perMinute: 60 },
      schema: {
        operationId: 'getModelUsage',
        summary: 'Get the turns and tokens of an agent at its model providers',
        description:
          'By day and model, oldest first; from the day of `from` to that of `to`, at most 400 days, by default the last 30.',
        tags: ['connections'],
        params: AgentParams,
        querystring: UsageQuery,
        response: { 200: ModelUsage },
      },
    },
    async (req) => {
      const { orgId } = requireTenant(req)
      const { agent_id: agentId } = req.params
      const range = {
        from: toInstant(req.query.from, 'from'),
        to: toInstant(req.query.to, 'to'),
      }
      return toModelUsage(await usage.days({ orgId, agentId }, range))
    },
  )
}
