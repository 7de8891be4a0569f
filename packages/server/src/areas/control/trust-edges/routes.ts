import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import {
  EDGE_PAGES,
  Edge,
  EdgePage,
  EdgeParams,
  EdgeQuery,
  NewEdgeBody,
  TargetQuery,
  toEdge,
  toEdgePage,
  toNewEdge,
} from './schema.ts'
import type { TrustEdgeService } from './service.ts'

const tags = ['trust edges']

const READ = { access: 'trust_edges.read', tenantFrom: 'agent', perMinute: 60 } as const
const CHANGE = { access: 'trust_edges.change', tenantFrom: 'agent', perMinute: 30 } as const

export function trustEdgeRoutes(app: Server, edges: TrustEdgeService): void {
  app.get(
    '/v1/agents/:agent_id/trust-edges',
    {
      config: READ,
      schema: {
        operationId: 'listTrustEdges',
        summary: 'List the trust edges of an agent',
        description: 'Outgoing or incoming, newest first.',
        tags,
        params: AgentParams,
        querystring: EdgeQuery,
        response: { 200: EdgePage },
      },
    },
    async (req) => {
      const { orgId } = requireTenant(req)
      const of = { orgId, agentId: req.params.agent_id, direction: req.query.direction ?? 'out' }
      return toEdgePage(await edges.list(of, toPageRequest(req.query, EDGE_PAGES)))
    },
  )

  app.post(
    '/v1/agents/:agent_id/trust-edges',
    {
      config: CHANGE,
      schema: {
        operationId: 'createTrustEdge',
        summary: 'Declare that an agent trusts another',
        description: 'The other agent may belong to another organisation.',
        tags,
        params: AgentParams,
        body: NewEdgeBody,
        response: { 201: Edge },
      },
    },
    async (req, reply) => {
      const edge = await edges.create(toNewEdge(req.params.agent_id, req.body), actorOf(req))
      return reply.code(201).send(toEdge(edge))
    },
  )

  removalRoutes(app, edges)
}

function removalRoutes(app: Server, edges: TrustEdgeService): void {
  app.delete(
    '/v1/agents/:agent_id/trust-edges/:edge_id',
    {
      config: { ...CHANGE, refuses: [409] },
      schema: {
        operationId: 'deleteTrustEdge',
        summary: 'Delete a trust edge',
        tags,
        params: EdgeParams,
      },
    },
    async (req, reply) => {
      const { agent_id: agentId, edge_id: edgeId } = req.params
      await edges.remove(agentId, { edgeId }, actorOf(req))
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/v1/agents/:agent_id/trust-edges',
    {
      config: { ...CHANGE, refuses: [409] },
      schema: {
        operationId: 'deleteTrustEdgeByTarget',
        summary: 'Delete the trust edge to an agent',
        tags,
        params: AgentParams,
        querystring: TargetQuery,
      },
    },
    async (req, reply) => {
      const { target_agent_id: targetAgentId } = req.query
      await edges.remove(req.params.agent_id, { targetAgentId }, actorOf(req))
      return reply.code(204).send(null)
    },
  )
}
