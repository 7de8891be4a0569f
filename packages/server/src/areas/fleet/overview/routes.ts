import type { Server } from '../../../http/server.ts'
import { OrgParams, toPageRequest } from '../../../http/wire.ts'
import {
  SetupAnswer,
  StandingPage,
  StandingsQuery,
  toSetup,
  toStandingPage,
  toStandingQuery,
} from './schema.ts'
import type { OverviewService } from './service.ts'

export function overviewRoutes(app: Server, overview: OverviewService): void {
  app.get(
    '/v1/orgs/:org_id/agent-standings',
    {
      config: { access: 'agents.read', perMinute: 120 },
      schema: {
        operationId: 'listAgentStandings',
        summary: 'List agents with their scores and what happened to them',
        description:
          'Blocked calls and violations of a time range, and open drift alerts; without archived agents, unless `status` asks for them. An organisation of more than 10000 agents is compared by its newest.',
        tags: ['agents'],
        params: OrgParams,
        querystring: StandingsQuery,
        response: { 200: StandingPage },
      },
    },
    async (req) =>
      toStandingPage(
        await overview.standings(
          req.params.org_id,
          toStandingQuery(req.query),
          toPageRequest(req.query),
        ),
      ),
  )

  app.get(
    '/v1/orgs/:org_id/setup',
    {
      config: { access: 'usage.read', perMinute: 60 },
      schema: {
        operationId: 'getOrgSetup',
        summary: 'Get which steps of setting up an organisation are done',
        tags: ['organisations'],
        params: OrgParams,
        response: { 200: SetupAnswer },
      },
    },
    async (req) => toSetup(await overview.setup(req.params.org_id)),
  )
}
