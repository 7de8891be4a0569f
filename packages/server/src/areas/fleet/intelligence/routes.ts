import type { FastifyRequest } from 'fastify'
import { enterTenant } from '../../../http/access/guard.ts'
import { reaches } from '../../../http/identity/caller.ts'
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

/** Limit: spec: interface, Limits. The team in the body determines the organisation. */
const REQUEST = {
  access: 'intelligence.request',
  feature: 'intelligence',
  perMinute: 10,
  tenantFrom: 'handler',
  refuses: [404],
} as const
const READ = {
  access: 'teams.read',
  feature: 'intelligence',
  perMinute: 60,
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
        operationId: 'analyseFaultLines',
        summary: 'Find the fault lines in a team',
        description: 'Values on which its members differ.',
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
        operationId: 'forecastTeam',
        summary: 'Forecast how a team can fail',
        description: 'By a language model if one is configured, else by rules.',
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
        operationId: 'recommendTeamPolicy',
        summary: 'Recommend a policy for a team',
        description: 'From its latest fault lines; nothing is applied.',
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
        operationId: 'listIntelligence',
        summary: 'List the analyses, forecasts and recommendations of a team',
        description: 'Newest first; kept for a year.',
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
        operationId: 'getIntelligence',
        summary: 'Get an analysis, forecast or recommendation',
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

/** Another organisation's team gets the same answer as a missing one (spec: platform §1.2). */
async function enterTeam(req: FastifyRequest, intelligence: IntelligenceService, teamId: string) {
  const team = await intelligence.findTeam(teamId)
  if (team === undefined || !reaches(req.caller, { orgId: team.orgId })) {
    throw new Problem('not_found', 'No such team.')
  }
  enterTenant(req, team.orgId, REQUEST.access)
  return team
}
