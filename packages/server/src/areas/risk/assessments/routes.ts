import type { FastifyRequest } from 'fastify'
import { enterTenant, requireTenant } from '../../../http/access/guard.ts'
import { tenantOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  AssessBody,
  AssessmentParams,
  HistoryAnswer,
  HistoryQuery,
  InputsAnswer,
  RiskAssessment,
  toAssessment,
  toHistory,
  toHistoryLimit,
  toInputs,
  toQuestion,
} from './schema.ts'
import type { RiskService } from './service.ts'
import {
  AssessTeamBody,
  TeamRiskAssessment,
  toTeamAssessment,
  toTeamQuestion,
} from './team-schema.ts'

const tags = ['risk']

const ASSESS = { access: 'risk.assess', invalidAs: 'validation_error', refuses: [404] } as const
const READ = { access: 'risk.read', invalidAs: 'validation_error', perMinute: 100 } as const
/** A person of several organisations acts for the one whose it is, once it is found. */
const READ_ONE = { ...READ, tenantFrom: 'handler' } as const

export function assessRoutes(app: Server, risk: RiskService): void {
  app.post(
    '/v1/risk/assess',
    {
      config: { ...ASSESS, perMinute: 60, feature: 'risk_assessment' },
      schema: {
        summary: 'How risky it is to let an agent do something; each call is a new assessment',
        tags,
        body: AssessBody,
        response: { 200: RiskAssessment },
      },
    },
    async (req) => toAssessment(await risk.assess(toQuestion(requireTenant(req), req.body))),
  )

  app.post(
    '/v1/risk/assess/team',
    {
      config: { ...ASSESS, perMinute: 20, feature: 'team_risk_assessment' },
      schema: {
        summary: 'How risky it is to let 2 to 50 agents do something together',
        tags,
        body: AssessTeamBody,
        response: { 200: TeamRiskAssessment },
      },
    },
    async (req) =>
      toTeamAssessment(await risk.assessTeam(toTeamQuestion(requireTenant(req).orgId, req.body))),
  )
}

export function assessmentRoutes(app: Server, risk: RiskService): void {
  app.get(
    '/v1/risk/assessments/:assessment_id',
    {
      config: READ_ONE,
      schema: {
        summary: 'An assessment that your organisation asked for',
        tags,
        params: AssessmentParams,
        response: { 200: RiskAssessment },
      },
    },
    async (req) => toAssessment(enterOwn(req, await risk.find(req.params.assessment_id))),
  )

  app.get(
    '/v1/risk/team-assessments/:assessment_id',
    {
      config: READ_ONE,
      schema: {
        summary: 'An assessment of a team that your organisation asked for',
        tags,
        params: AssessmentParams,
        response: { 200: TeamRiskAssessment },
      },
    },
    async (req) => toTeamAssessment(enterOwn(req, await risk.findTeam(req.params.assessment_id))),
  )

  app.get(
    '/v1/risk/assessments/:assessment_id/inputs',
    {
      config: READ_ONE,
      schema: {
        summary: 'What an assessment follows from, when all its agents are your own',
        tags,
        params: AssessmentParams,
        response: { 200: InputsAnswer },
      },
    },
    async (req) => {
      const opened = enterOwn(req, await risk.findInputs(req.params.assessment_id))
      await risk.assertOwn(opened)
      return toInputs(opened)
    },
  )

  app.get(
    '/v1/risk/history/:agent_id',
    {
      config: READ,
      schema: {
        summary: 'What your organisation had assessed of an agent, newest first',
        tags,
        params: AgentParams,
        querystring: HistoryQuery,
        response: { 200: HistoryAnswer },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      const limit = toHistoryLimit(req.query)
      const { orgId } = requireTenant(req)
      return toHistory(agentId, await risk.history({ orgId, agentId }, limit), limit)
    },
  )
}

/** Another organisation's is answered exactly like a missing one (04 §1.2). */
function enterOwn<Found extends { orgId: string }>(
  req: FastifyRequest,
  found: Found | undefined,
): Found {
  if (found === undefined || tenantOf(req.caller, found.orgId) === undefined) {
    throw new Problem('not_found', 'No such assessment.')
  }
  enterTenant(req, found.orgId, 'risk.read')
  return found
}
