import { requireTenant } from '../../../http/access/guard.ts'
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
  toAsk,
  toEvaluation,
  toEvaluationPage,
  toHistory,
  toHistoryAsk,
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
        description: 'The X-Policy-Verdict response header repeats the verdict.',
        tags,
        headers: EvaluateHeaders,
        body: EvaluateBody,
        response: { 200: EvaluationAnswer },
      },
    },
    async (req, reply) => {
      const ask = toAsk(requireTenant(req).orgId, req.body, req.headers)
      const result = toEvaluation(await evaluations.evaluate(ask))
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
      const ask = toHistoryAsk(requireTenant(req).orgId, req.body)
      return toHistory(await evaluations.evaluateHistory(ask))
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
