import type { FastifyRequest } from 'fastify'
import { enterTenant } from '../../../http/access/guard.ts'
import { tenantOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { TeamParams, toPageRequest } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  Analysis,
  AnyItem,
  Forecast,
  ForecastBody,
  ItemPage,
  ItemParams,
  ItemQuery,
  Recommendation,
  TeamBody,
  toAnalysis,
  toAnyItem,
  toForecast,
  toItemPage,
  toRecommendation,
} from './schema.ts'
import type { IntelligenceService } from './service.ts'

const tags = ['intelligence']

/** The interface's limit: ten a minute each. The team in the body tells the organisation. */
const REQUEST = {
  ...({ access: 'intelligence.request', feature: 'intelligence', perMinute: 10 } as const),
  ...({ tenantFrom: 'handler', refuses: [404] } as const),
} as const
const READ = {
  ...({ access: 'teams.read', feature: 'intelligence', perMinute: 60 } as const),
  tenantFrom: 'team',
} as const

export function intelligenceRoutes(app: Server, intelligence: IntelligenceService): void {
  requestRoutes(app, intelligence)
  readingRoutes(app, intelligence)
}

function requestRoutes(app: Server, intelligence: IntelligenceService): void {
  app.post(
    '/v1/teams/fault-lines',
    {
      config: REQUEST,
      schema: {
        summary: 'Find where the values of a team’s members part',
        tags,
        body: TeamBody,
        response: { 200: Analysis },
      },
    },
    async (req) => {
      const team = await enterTeam(req, intelligence, req.body.team_id)
      return toAnalysis(await intelligence.findFaultLines(team))
    },
  )

  app.post(
    '/v1/teams/forecast',
    {
      config: REQUEST,
      schema: {
        summary: 'Forecast how a team can fail; by the model if there is one, else by rules',
        tags,
        body: ForecastBody,
        response: { 200: Forecast },
      },
    },
    async (req) => {
      const { team_id, fault_line_analysis_id: analysisId } = req.body
      const team = await enterTeam(req, intelligence, team_id)
      return toForecast(await intelligence.forecast(team, analysisId))
    },
  )

  app.post(
    '/v1/teams/recommend-policy',
    {
      config: REQUEST,
      schema: {
        summary: 'Recommend a policy for a team, from its latest fault lines; applies nothing',
        tags,
        body: TeamBody,
        response: { 200: Recommendation },
      },
    },
    async (req) => {
      const team = await enterTeam(req, intelligence, req.body.team_id)
      return toRecommendation(await intelligence.recommendPolicy(team))
    },
  )
}

function readingRoutes(app: Server, intelligence: IntelligenceService): void {
  app.get(
    '/v1/teams/:team_id/intelligence',
    {
      config: READ,
      schema: {
        summary: 'Fault lines, forecasts and recommendations of a team, newest first; kept a year',
        tags,
        params: TeamParams,
        querystring: ItemQuery,
        response: { 200: ItemPage },
      },
    },
    async (req) => {
      const filter = { teamId: req.params.team_id, type: req.query.type }
      return toItemPage(await intelligence.list(filter, toPageRequest(req.query)))
    },
  )

  app.get(
    '/v1/teams/:team_id/intelligence/:item_id',
    {
      config: READ,
      schema: {
        summary: 'One of them, as it was given',
        tags,
        params: ItemParams,
        response: { 200: AnyItem },
      },
    },
    async (req) => {
      const { team_id: teamId, item_id: itemId } = req.params
      return toAnyItem(await intelligence.get(teamId, itemId))
    },
  )
}

/** Another organisation's team is answered exactly like a missing one (04 §1.2). */
async function enterTeam(req: FastifyRequest, intelligence: IntelligenceService, teamId: string) {
  const team = await intelligence.findTeam(teamId)
  if (team === undefined || tenantOf(req.caller, team.orgId) === undefined) {
    throw new Problem('not_found', 'No such team.')
  }
  enterTenant(req, team.orgId, REQUEST.access)
  return team
}
