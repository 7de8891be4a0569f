import { requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, OrgParams, toInstant } from '../../../http/wire.ts'
import {
  ModelUsage,
  OrgModelUsage,
  OrgUsageQuery,
  toModelUsage,
  toOrgModelUsage,
  UsageQuery,
} from './schema.ts'
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
  app.get(
    '/v1/orgs/:org_id/model-usage',
    {
      config: { access: 'agents.read', perMinute: 60 },
      schema: {
        operationId: 'getOrgModelUsage',
        summary: 'Get the turns and tokens of all agents at their model providers',
        description:
          'By hour or day, oldest first. By day at most 400 days, by default the last 30; by hour at most 90 days, by default the last 24 hours.',
        tags: ['connections'],
        params: OrgParams,
        querystring: OrgUsageQuery,
        response: { 200: OrgModelUsage },
      },
    },
    async (req) => {
      const { interval = 'day', from, to } = req.query
      const range = { from: toInstant(from, 'from'), to: toInstant(to, 'to') }
      const buckets = await usage.buckets(req.params.org_id, interval, range)
      return toOrgModelUsage(interval, buckets)
    },
  )
}
