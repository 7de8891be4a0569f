import { canDo, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import {
  EvaluateBody,
  EvaluateHeaders,
  EvaluationAnswer,
  EvaluationPage,
  EvaluationQuery,
  HistoryAnswer,
  HistoryBody,
  toEvaluation,
  toEvaluationPage,
  toEvaluationRequest,
  toHistory,
  toHistoryRequest,
} from './schema.ts'
import type { EvaluationService } from './service.ts'

const tags = ['policies']

export function evaluationRoutes(app: Server, evaluations: EvaluationService): void {
  app.post(
    '/v1/policies/evaluate',
    {
      config: { access: 'policies.evaluate', perMinute: 60, refuses: [404] },
      schema: {
        operationId: 'evaluatePolicy',
        summary: "Evaluate tools against an agent's policy",
        description:
          'The X-Policy-Verdict response header repeats the verdict. An evaluation with a key without the scope write, or by an auditor, is answered and not recorded: evaluation_id is null.',
        tags,
        headers: EvaluateHeaders,
        body: EvaluateBody,
        response: { 200: EvaluationAnswer },
      },
    },
    async (req, reply) => {
      const request = {
        ...toEvaluationRequest(requireTenant(req).orgId, req.body, req.headers),
        isRecorded: canDo(req, 'evaluations.record'),
      }
      const result = toEvaluation(await evaluations.evaluate(request))
      reply.header('x-policy-verdict', result.verdict)
      return result
    },
  )

  app.post(
    '/v1/policies/evaluate/historical',
    {
      config: { access: 'policies.evaluate', perMinute: 30, refuses: [404] },
      schema: {
        operationId: 'evaluatePolicyHistory',
        summary: "Evaluate an agent's past traces against its policy",
        description: 'Or against a candidate policy in the body.',
        tags,
        body: HistoryBody,
        response: { 200: HistoryAnswer },
      },
    },
    async (req) => {
      const request = toHistoryRequest(requireTenant(req).orgId, req.body)
      return toHistory(await evaluations.evaluateHistory(request))
    },
  )

  app.get(
    '/v1/agents/:agent_id/policy-evaluations',
    {
      config: {
        access: 'policies.read',
        tenantFrom: 'agent',
        unknownAgent: 'not_found',
        perMinute: 60,
      },
      schema: {
        operationId: 'listPolicyEvaluations',
        summary: 'List the policy evaluations of an agent',
        description: 'Of its calls and traces in the last 90 days, newest first.',
        tags,
        params: AgentParams,
        querystring: EvaluationQuery,
        response: { 200: EvaluationPage },
      },
    },
    async (req) => {
      const filter = { agentId: req.params.agent_id, verdict: req.query.verdict }
      return toEvaluationPage(await evaluations.list(filter, toPageRequest(req.query)))
    },
  )
}
