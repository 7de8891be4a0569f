import type { FastifyRequest } from 'fastify'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import { boundAgentOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  OutcomeAnswerBody,
  OutcomeBody,
  OutcomeResults,
  OutcomesBody,
  toOutcome,
  toReport,
  toResults,
} from './outcome-schema.ts'
import type { Outcomes } from './outcome-service.ts'
import { DecisionParams } from './schema.ts'

const tags = ['gateway']

export function outcomeRoutes(app: Server, outcomes: Outcomes): void {
  app.post(
    '/v1/decisions/:decision_id/outcome',
    {
      config: {
        access: 'decisions.report',
        agentFrom: 'handler',
        perMinute: 'plan',
        refuses: [404],
      },
      schema: {
        operationId: 'reportOutcome',
        summary: 'Report what became of a decision',
        description:
          'Only the credential that asked, or a key that is bound to the agent. A call that was made although the decision was block or escalate is a bypass and counts as a boundary violation.',
        tags,
        params: DecisionParams,
        body: OutcomeBody,
        response: { 200: OutcomeAnswerBody },
      },
      preValidation: async (req) => {
        const { decision_id: decisionId } = req.params
        const org = requireTenant(req)
        if (!(await outcomes.isReportable(org, reporterOf(req), decisionId))) throw notFound()
      },
    },
    async (req) => {
      const report = toReport(req.params.decision_id, req.body)
      const outcome = await outcomes.reportOne(requireTenant(req), reporterOf(req), report)
      return { decision_id: report.decisionId, outcome: toOutcome(outcome) }
    },
  )

  app.post(
    '/v1/decisions/outcomes',
    {
      config: { access: 'decisions.report', agentFrom: 'handler', perMinute: 'plan' },
      schema: {
        operationId: 'reportOutcomes',
        summary: 'Report what became of several decisions',
        tags,
        body: OutcomesBody,
        response: { 200: OutcomeResults },
      },
    },
    async (req) => {
      const reports = req.body.outcomes.map((one) => toReport(one.decision_id, one))
      const answers = await outcomes.report(requireTenant(req), reporterOf(req), reports)
      return toResults(reports, answers)
    },
  )
}

function reporterOf(req: FastifyRequest) {
  return { id: actorOf(req).id, agentId: boundAgentOf(req.caller) }
}

function notFound(): Problem {
  return new Problem('not_found', 'No such decision.')
}
