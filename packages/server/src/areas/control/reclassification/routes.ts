import { actorOf } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, PageQuery, toPageRequest } from '../../../http/wire.ts'
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
  toViolationPage,
  ViolationPage,
  ViolationParams,
  ViolationQuery,
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
        summary: 'Violations of an agent with what became of them, newest first',
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

  app.post(
    '/v1/agents/:agent_id/reclassify',
    {
      config: { access: 'violations.reclassify', tenantFrom: 'agent', perMinute: 30 },
      schema: {
        summary: 'Say what a violation was: a gap of the card, or misbehaviour; there is no undo',
        tags,
        params: AgentParams,
        body: ReclassifyBody,
        response: { 200: Reclassification },
      },
    },
    async (req) => {
      const wanted = toNewReclassification(req.params.agent_id, req.body)
      return toReclassification(await service.reclassify(wanted, actorOf(req)))
    },
  )
}

function listingRoutes(app: Server, service: ReclassificationService): void {
  app.get(
    '/v1/agents/:agent_id/reclassifications',
    {
      config: READ,
      schema: {
        summary: 'Reclassifications of an agent, newest first',
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
        summary: "Changes of an agent's card, field by field, newest first",
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
        summary: 'What was said about a violation, newest first',
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
        summary: 'Say something about a violation; it stays, linked to all that was said before',
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
