import type { FastifyRequest } from 'fastify'
import { enterTenant, requireTenant } from '../../../http/access/guard.ts'
import { boundAgentOf, reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, TeamParams } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import { ListAnswer, ListQuery, toList } from './list-schema.ts'
import {
  AssessBody,
  AssessmentParams,
  HistoryAnswer,
  HistoryQuery,
  InputsAnswer,
  RiskAssessment,
  toAssessment,
  toHistory,
  toInputs,
  toQuestion,
  toSlice,
} from './schema.ts'
import type { RiskService } from './service.ts'
import {
  AssessTeamBody,
  TeamHistoryAnswer,
  TeamRiskAssessment,
  toTeamAssessment,
  toTeamHistory,
  toTeamQuestion,
} from './team-schema.ts'

const tags = ['risk']

const ASSESS = { access: 'risk.assess', invalidAs: 'validation_error', refuses: [404] } as const
const READ = { access: 'risk.read', invalidAs: 'validation_error', perMinute: 100 } as const
/** The organisation is known only once the assessment is found. */
const READ_ONE = { ...READ, tenantFrom: 'handler' } as const

export function assessRoutes(app: Server, risk: RiskService): void {
  app.post(
    '/v1/risk/assess',
    {
      config: { ...ASSESS, perMinute: 60, feature: 'risk_assessment' },
      schema: {
        operationId: 'assessRisk',
        summary: 'Assess the risk of an action of an agent',
        description: 'Each request creates a new assessment.',
        tags,
        body: AssessBody,
        response: { 200: RiskAssessment },
      },
    },
    async (req) => {
      const isBound = boundAgentOf(req.caller) !== undefined
      return toAssessment(await risk.assess(toQuestion(requireTenant(req), req.body, isBound)))
    },
  )

  app.post(
    '/v1/risk/assess/team',
    {
      config: { ...ASSESS, perMinute: 20, feature: 'team_risk_assessment' },
      schema: {
        operationId: 'assessTeamRisk',
        summary: 'Assess the risk of an action of 2 to 50 agents',
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
        operationId: 'getRiskAssessment',
        summary: 'Get a risk assessment of your organisation',
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
        operationId: 'getTeamRiskAssessment',
        summary: 'Get a team risk assessment of your organisation',
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
        operationId: 'getRiskInputs',
        summary: 'Get the inputs of a risk assessment',
        description: 'Only if all its agents belong to your organisation.',
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
    '/v1/risk/assessments',
    {
      config: READ,
      schema: {
        operationId: 'listAllRiskAssessments',
        summary: 'List all risk assessments of your organisation',
        description:
          'Of agents and of teams, newest first. Without those of teams of which a member was erased.',
        tags,
        querystring: ListQuery,
        response: { 200: ListAnswer },
      },
    },
    async (req) => {
      const slice = toSlice(req.query)
      return toList(await risk.list(requireTenant(req).orgId, req.query.subject, slice), slice)
    },
  )

  app.get(
    '/v1/risk/history/:agent_id',
    {
      config: READ,
      schema: {
        operationId: 'listRiskAssessments',
        summary: "List your organisation's risk assessments of an agent",
        description: 'Newest first.',
        tags,
        params: AgentParams,
        querystring: HistoryQuery,
        response: { 200: HistoryAnswer },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      const slice = toSlice(req.query)
      const { orgId } = requireTenant(req)
      return toHistory(agentId, await risk.history({ orgId, agentId }, slice), slice)
    },
  )

  app.get(
    '/v1/risk/team-history/:team_id',
    {
      config: { ...READ, tenantFrom: 'team' },
      schema: {
        operationId: 'listTeamRiskAssessments',
        summary: 'List the risk assessments of a team of your organisation',
        description: 'Newest first. Without those of which a member was erased.',
        tags,
        params: TeamParams,
        querystring: HistoryQuery,
        response: { 200: TeamHistoryAnswer },
      },
    },
    async (req) => {
      const { team_id: teamId } = req.params
      const slice = toSlice(req.query)
      const { orgId } = requireTenant(req)
      return toTeamHistory(teamId, await risk.teamHistory({ orgId, teamId }, slice), slice)
    },
  )
}

/** Another organisation's assessment gets the same answer as a missing one (spec: platform §1.2). */
function enterOwn<Found extends { orgId: string; agentId?: string }>(
  req: FastifyRequest,
  found: Found | undefined,
): Found {
  if (found === undefined || !reaches(req.caller, found)) {
    throw new Problem('not_found', 'No such assessment.')
  }
  enterTenant(req, found.orgId, 'risk.read', found.agentId)
  return found
}
