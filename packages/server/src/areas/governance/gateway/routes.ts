import type { FastifyRequest } from 'fastify'
import { actorOf, enterTenant, requireTenant } from '../../../http/access/guard.ts'
import { sendWritten } from '../../../http/answers/published.ts'
import { tenantOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { toPageRequest } from '../../../http/wire.ts'
import { type Escalations, noEscalation } from './escalation-service.ts'
import {
  DecideBody,
  DecisionAnswer,
  EscalationAnswer,
  EscalationPage,
  EscalationParams,
  EscalationQuery,
  Refused,
  ResolveBody,
  toCall,
  toEscalation,
  toEscalationPage,
  toRefused,
  writeDecision,
} from './schema.ts'
import type { GatewayService } from './service.ts'

const tags = ['gateway']

/** Room for the largest arguments in any JSON spelling, and for the other fields. */
const BODY_BYTES_MAX = 256 * 1024

/** The body names the agent; the caller acts for one organisation, as with traces. */
export function decideRoute(app: Server, gateway: GatewayService): void {
  app.post(
    '/v1/gateway/decide',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { access: 'gateway.decide', perMinute: 'plan', refuses: [404] },
      schema: {
        operationId: 'decideToolCall',
        summary: 'Decide whether an agent may call a tool now',
        tags,
        body: DecideBody,
        response: { 200: DecisionAnswer, 403: Refused },
      },
    },
    async (req, reply) => {
      const call = toCall(req.body, req.headers['x-transaction-id'])
      const decided = await gateway.decide(requireTenant(req), call)
      const { contained } = decided
      if (contained !== undefined) return reply.code(403).send(toRefused(contained, decided))
      return sendWritten(reply, writeDecision(decided))
    },
  )
}

export function escalationRoutes(app: Server, escalations: Escalations): void {
  app.get(
    '/v1/escalations',
    {
      config: { access: 'escalations.read', perMinute: 60 },
      schema: {
        operationId: 'listEscalations',
        summary: 'List the tool calls that need or needed an approval',
        description: 'Newest first.',
        tags,
        querystring: EscalationQuery,
        response: { 200: EscalationPage },
      },
    },
    async (req) => {
      const { orgId } = requireTenant(req)
      const filter = { orgId, agentId: req.query.agent_id, status: req.query.status }
      return toEscalationPage(await escalations.list(filter, toPageRequest(req.query)))
    },
  )

  app.get(
    '/v1/escalations/:escalation_id',
    {
      // The organisation is known only once the escalation is found.
      config: { access: 'escalations.read', tenantFrom: 'handler', perMinute: 60 },
      schema: {
        operationId: 'getEscalation',
        summary: 'Get an escalation',
        tags,
        params: EscalationParams,
        response: { 200: EscalationAnswer },
      },
    },
    async (req) =>
      toEscalation(await enterOwn(req, escalations, 'escalations.read', req.params.escalation_id)),
  )

  app.post(
    '/v1/escalations/:escalation_id/resolve',
    {
      config: { access: 'escalations.resolve', tenantFrom: 'handler', perMinute: 30 },
      schema: {
        operationId: 'resolveEscalation',
        summary: 'Approve or reject a pending escalation',
        description: 'An approval allows one call.',
        tags,
        params: EscalationParams,
        body: ResolveBody,
        response: { 200: EscalationAnswer },
      },
      preValidation: async (req) => {
        await enterOwn(req, escalations, 'escalations.resolve', req.params.escalation_id)
      },
    },
    async (req) => {
      const { escalation_id: escalationId } = req.params
      const own = await enterOwn(req, escalations, 'escalations.resolve', escalationId)
      const { outcome, note = null } = req.body
      return toEscalation(await escalations.resolve(own, { outcome, note }, actorOf(req)))
    },
  )
}

/** Another organisation's escalation gets the same answer as a missing one (spec: platform §1.2). */
async function enterOwn(
  req: FastifyRequest,
  escalations: Escalations,
  operation: 'escalations.read' | 'escalations.resolve',
  escalationId: string,
) {
  const found = await escalations.find(escalationId)
  if (found === undefined || tenantOf(req.caller, found.orgId) === undefined) throw noEscalation()
  enterTenant(req, found.orgId, operation)
  return found
}
