import { keyRefusal } from '../../../access.ts'
import { actorOf } from '../../../http/access/guard.ts'
import type { GuardedRequest } from '../../../http/access/guarded.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, PageQuery, toPageRequest } from '../../../http/wire.ts'
import type { ReclassifyingKey } from './card-gap-service.ts'
import {
  AmendmentPage,
  Comment,
  CommentBody,
  CommentPage,
  Reclassification,
  ReclassificationPage,
  ReclassifyBody,
  toAmendmentPage,
  toComment,
  toCommentPage,
  toFilter,
  toNewReclassification,
  toReclassification,
  toReclassificationPage,
  toSpan,
  toViolationPage,
  toViolationTypes,
  ViolationPage,
  ViolationParams,
  ViolationQuery,
  ViolationTypes,
  ViolationTypesQuery,
} from './schema.ts'
import type { ReclassificationService } from './service.ts'

const tags = ['reclassification']

const READ = { access: 'reclassifications.read', tenantFrom: 'agent', perMinute: 60 } as const

export function reclassificationRoutes(app: Server, service: ReclassificationService): void {
  violationRoutes(app, service)
  listingRoutes(app, service)
  commentRoutes(app, service)
}

function violationRoutes(app: Server, service: ReclassificationService): void {
  app.get(
    '/v1/agents/:agent_id/violations',
    {
      config: READ,
      schema: {
        operationId: 'listViolations',
        summary: 'List the violations of an agent',
        description: 'With their reclassifications, newest first.',
        tags,
        params: AgentParams,
        querystring: ViolationQuery,
        response: { 200: ViolationPage },
      },
    },
    async (req) => {
      const filter = toFilter(req.params.agent_id, req.query)
      return toViolationPage(await service.violations(filter, toPageRequest(req.query)))
    },
  )

  app.get(
    '/v1/agents/:agent_id/violation-types',
    {
      config: READ,
      schema: {
        operationId: 'listViolationTypes',
        summary: 'Count the violations of an agent by type',
        description: 'The most frequent first, also reclassified ones.',
        tags,
        params: AgentParams,
        querystring: ViolationTypesQuery,
        response: { 200: ViolationTypes },
      },
    },
    async (req) =>
      toViolationTypes(await service.violationTypes(req.params.agent_id, toSpan(req.query))),
  )

  app.post(
    '/v1/agents/:agent_id/reclassify',
    {
      config: { access: 'violations.reclassify', tenantFrom: 'agent', perMinute: 30 },
      schema: {
        operationId: 'reclassifyViolation',
        summary: 'Reclassify a violation',
        description:
          'As a gap in the card or as misbehaviour; this cannot be undone. A named amendment must be what would have made the call right; with an API key that needs the scope approve, and never with the key that sent the checkpoint.',
        tags,
        params: AgentParams,
        body: ReclassifyBody,
        response: { 200: Reclassification },
      },
    },
    async (req) => {
      const wanted = toNewReclassification(req.params.agent_id, req.body)
      const key = reclassifyingKey(req)
      return toReclassification(await service.reclassify(wanted, actorOf(req), key))
    },
  )
}

/** Undefined for a person. */
function reclassifyingKey({ caller }: GuardedRequest): ReclassifyingKey | undefined {
  if (caller.kind !== 'key') return undefined
  const { keyId, scopes, tenant } = caller
  const excuseRefusal = keyRefusal({ role: tenant.role, scopes }, 'violations.excuse')
  return { keyId, excuseRefusal }
}

function listingRoutes(app: Server, service: ReclassificationService): void {
  app.get(
    '/v1/agents/:agent_id/reclassifications',
    {
      config: READ,
      schema: {
        operationId: 'listReclassifications',
        summary: 'List the reclassifications of an agent',
        description: 'Newest first.',
        tags,
        params: AgentParams,
        querystring: PageQuery,
        response: { 200: ReclassificationPage },
      },
    },
    async (req) =>
      toReclassificationPage(await service.list(req.params.agent_id, toPageRequest(req.query))),
  )

  app.get(
    '/v1/agents/:agent_id/card-amendments',
    {
      config: { ...READ, access: 'amendments.read' },
      schema: {
        operationId: 'listCardAmendments',
        summary: "List the amendments of an agent's card",
        description: 'One per changed field, newest first.',
        tags,
        params: AgentParams,
        querystring: PageQuery,
        response: { 200: AmendmentPage },
      },
    },
    async (req) =>
      toAmendmentPage(await service.listAmendments(req.params.agent_id, toPageRequest(req.query))),
  )
}

function commentRoutes(app: Server, service: ReclassificationService): void {
  const path = '/v1/agents/:agent_id/violations/:checkpoint_id/comments'
  const placeOf = (params: { agent_id: string; checkpoint_id: string }) => {
    return { agentId: params.agent_id, checkpointId: params.checkpoint_id }
  }

  app.get(
    path,
    {
      config: READ,
      schema: {
        operationId: 'listViolationComments',
        summary: 'List the comments on a violation',
        description: 'Newest first.',
        tags,
        params: ViolationParams,
        querystring: PageQuery,
        response: { 200: CommentPage },
      },
    },
    async (req) =>
      toCommentPage(await service.listComments(placeOf(req.params), toPageRequest(req.query))),
  )

  app.post(
    path,
    {
      config: { access: 'violations.comment', tenantFrom: 'agent', perMinute: 30 },
      schema: {
        operationId: 'createViolationComment',
        summary: 'Comment on a violation',
        description: 'Comments are permanent; each is chained to the previous one by hash.',
        tags,
        params: ViolationParams,
        body: CommentBody,
        response: { 201: Comment },
      },
      preValidation: (req) => service.assertViolation(placeOf(req.params)),
    },
    async (req, reply) => {
      const entry = await service.addComment(placeOf(req.params), req.body.text, actorOf(req))
      return reply.code(201).send(toComment(entry))
    },
  )
}
