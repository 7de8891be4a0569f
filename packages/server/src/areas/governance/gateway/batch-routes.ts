import { type Static, Type } from 'typebox'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import { problemBody, toProblem } from '../../../http/answers/error-map.ts'
import { sendJsonText } from '../../../http/answers/published.ts'
import { reaches } from '../../../http/identity/caller.ts'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Problem } from '../../../http/openapi/responses.ts'
import type { Server } from '../../../http/server.ts'
import type { BatchService } from './batch-service.ts'
import type { SignedDecision } from './call-request-service.ts'
import {
  DecideBody,
  DecisionAnswer,
  Refused,
  toCall,
  toCaller,
  toRefused,
  writeDecision,
} from './schema.ts'

const CALLS_MAX = 50
const BODY_BYTES_MAX = 8 * 1024 * 1024

const BatchBody = NamedObject('ToolCalls', {
  calls: Type.Array(DecideBody, { minItems: 1, maxItems: CALLS_MAX }),
})

const BatchAnswer = NamedObject('Decisions', {
  results: Type.Array(
    NamedObject('DecisionResult', {
      status: Type.Integer({ description: 'the HTTP status of the answer to this call alone' }),
      body: Type.Union([DecisionAnswer, Refused, Problem]),
    }),
    { description: 'in the order of the calls' },
  ),
})

export function decideBatchRoute(app: Server, batches: BatchService): void {
  app.post(
    '/v1/gateway/decide/batch',
    {
      bodyLimit: BODY_BYTES_MAX,
      // Every call is decided again, so a kept answer is never stale; a call_id finds its decision.
      config: {
        access: 'gateway.decide',
        perMinute: 'plan',
        replays: 'handler',
        agentFrom: 'handler',
        exactIntegers: true,
      },
      schema: {
        operationId: 'decideToolCalls',
        summary: 'Decide whether agents may call several tools now',
        description:
          'Stored in one transaction. An invalid call rejects the request; any other error is the result of its call.',
        tags: ['gateway'],
        body: BatchBody,
        response: { 200: BatchAnswer },
      },
    },
    async (req, reply) => {
      const calls = req.body.calls.map((call: Static<typeof DecideBody>) =>
        toCall(call, req.caller, req.headers['x-transaction-id']),
      )
      const caller = toCaller(actorOf(req).id, req.caller, req.headers['x-touchstone-client'])
      const org = requireTenant(req)
      const results = await batches.decideAll(org, calls, caller, (agentId) =>
        reaches(req.caller, { orgId: org.orgId, agentId }),
      )
      const written = results.map((result) => {
        if (result.status === 'fulfilled') return writeDecided(result.value)
        const problem = toProblem(result.reason, req.id)
        if (problem.status >= 500) req.reportFault(problem.cause ?? result.reason)
        return `{"status":${problem.status},"body":${JSON.stringify(problemBody(problem))}}`
      })
      return sendJsonText(reply, `{"results":[${written.join(',')}]}`)
    },
  )
}

function writeDecided(decided: SignedDecision): string {
  const { contained } = decided
  if (contained === undefined) return `{"status":200,"body":${writeDecision(decided)}}`
  return `{"status":403,"body":${JSON.stringify(toRefused(contained, decided))}}`
}
