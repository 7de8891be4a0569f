import type { FastifyRequest } from 'fastify'
import { actorOf, canDo, enterTenant, requireTenant } from '../../../http/access/guard.ts'
import type { GuardedRequest } from '../../../http/access/guarded.ts'
import { unauthorized } from '../../../http/identity/authenticate.ts'
import { reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { toPageRequest } from '../../../http/wire.ts'
import { SECOND_MS } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  EscalationAnswer,
  EscalationDetail,
  EscalationPage,
  EscalationParams,
  EscalationQuery,
  ResolveBody,
  toAnswer,
  toDetail,
  toEscalation,
  toEscalationPage,
  WaitQuery,
} from './schema.ts'
import { type ApprovalService, escalationNotFound } from './service.ts'

const tags = ['gateway']

export function approvalRoutes(app: Server, escalations: ApprovalService): void {
  const { approveUrl } = escalations
  // Requests that wait must be answered before the server waits for open connections.
  app.addHook('preClose', async () => escalations.releaseWaiters())

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
      const { agent_id: agentId, tool, status } = req.query
      const filter = { orgId, agentId, tool, status, asker: onlyAsker(req) }
      return toEscalationPage(await escalations.list(filter, toPageRequest(req.query)), approveUrl)
    },
  )

  app.get(
    '/v1/escalations/:escalation_id',
    {
      // The organisation is known only once the escalation is found.
      config: { access: 'escalations.read', tenantFrom: 'handler', perMinute: 60 },
      schema: {
        operationId: 'getEscalation',
        summary: 'Get an escalation, or wait until somebody answers it',
        tags,
        params: EscalationParams,
        querystring: WaitQuery,
        response: { 200: EscalationDetail },
      },
    },
    async (req, reply) => {
      const { escalation_id: escalationId } = req.params
      const own = await enterOwn(req, escalations, 'escalations.read', escalationId)
      const { wait } = req.query
      if (wait === undefined) return toDetail(await show(req, escalations, own), approveUrl)
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const waiting = { waitMs: wait * SECOND_MS, signal: gone.signal }
      const found = await escalations.awaitChange(own, waiting)
      if (found === undefined) throw escalationNotFound()
      // The credential may have been revoked since.
      if (!(await req.isStillAdmitted())) throw unauthorized()
      return toDetail(await show(req, escalations, found), approveUrl)
    },
  )

  app.post(
    '/v1/escalations/:escalation_id/resolve',
    {
      config: {
        access: 'escalations.resolve',
        tenantFrom: 'handler',
        perMinute: 30,
        checkFirst: (req) => refuseSelfApproval(req, escalations),
      },
      schema: {
        operationId: 'resolveEscalation',
        summary: 'Approve or reject a pending escalation',
        description:
          'The key that asked, and whoever has approved already, gets 403 self_approval. The escalation stays pending until approvals_required people have approved; one rejection ends it.',
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
      const org = requireTenant(req)
      const given = { answer: toAnswer(req.body), by: answererOf(req), org }
      const resolved = await escalations.resolve(escalationId, given, actorOf(req))
      return toEscalation(resolved, approveUrl)
    },
  )
}

/** Nobody answers their own question (spec: decisions §4). */
async function refuseSelfApproval(
  req: GuardedRequest,
  escalations: ApprovalService,
): Promise<void> {
  const { caller, params } = req
  if (caller.kind !== 'key') return
  const { escalation_id: escalationId } = Object(params)
  const found = await escalations.find(String(escalationId))
  if (found === undefined || found.orgId !== caller.tenant.orgId) return
  if (!escalations.hasAsked(found, caller.keyId)) return
  throw new Problem(
    'self_approval',
    'The key that asked cannot answer. Sign in, or use another key with the scope approve.',
  )
}

/** The arguments are for callers who can resolve the escalation; a key that asked cannot. */
function show(
  req: GuardedRequest,
  escalations: ApprovalService,
  escalation: Parameters<ApprovalService['show']>[0],
) {
  const viewer = answererOf(req)
  const canResolve =
    canDo(req, 'escalations.resolve') && !escalations.hasAsked(escalation, viewer.keyId)
  return escalations.show(escalation, canResolve ? viewer : undefined)
}

function answererOf(req: GuardedRequest) {
  const { caller } = req
  const keyId = caller.kind === 'key' ? caller.keyId : undefined
  return { userId: actorOf(req).userId, role: requireTenant(req).role, keyId }
}

/** Another organisation's escalation gets the same answer as a missing one (spec: platform §1.2). */
async function enterOwn(
  req: FastifyRequest,
  escalations: ApprovalService,
  operation: 'escalations.read' | 'escalations.resolve',
  escalationId: string,
) {
  const found = await escalations.find(escalationId)
  if (found === undefined || !reaches(req.caller, found)) throw escalationNotFound()
  const asker = onlyAsker(req)
  if (asker !== undefined && !escalations.hasAsked(found, asker)) throw escalationNotFound()
  enterTenant(req, found.orgId, operation, found.agentId)
  return found
}

/**
 * With the scope decide alone, a key reads only the escalations that it asked for or, if it is bound to
 * an agent, those of its agent (spec: decisions §6).
 */
function onlyAsker({ caller }: GuardedRequest): string | undefined {
  if (caller.kind !== 'key' || caller.agentId !== null) return undefined
  const readsAll = caller.scopes.includes('read') || caller.scopes.includes('approve')
  return readsAll ? undefined : caller.keyId
}
