import { canonicalAgentId } from '@touchstone/protocol/identifiers'
import type { FastifyRequest } from 'fastify'
import { roleAllows } from '../../../access.ts'
import {
  actorOf,
  enterTenant,
  orgIdsOf,
  requireTenant,
  requireUser,
} from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, OrgParams, toEmail, toPageRequest } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  AgentChanges,
  AgentPage,
  AgentQuery,
  AnyAgent,
  ClaimBody,
  Claimed,
  EnforcementMode,
  EraseBody,
  ErasureSet,
  ModeBody,
  ModeSet,
  NewAgent,
  OwnAgent,
  Registered,
  toAgentPage,
  toEnforcement,
  toEnforcementMode,
  toFields,
  toOwnAgent,
  toPublicAgent,
  toRegistration,
} from './schema.ts'
import type { AgentService } from './service.ts'

const tags = ['agents']

export function agentRoutes(app: Server, agents: AgentService): void {
  app.post(
    '/v1/agents',
    {
      config: {
        access: 'agents.register',
        tenantFrom: 'handler',
        perMinute: 60,
        secrets: ['agent_secret'],
        refuses: [404],
        registersAgent: true,
        // Ids of others must not be found by trying.
        conflictCost: 10,
      },
      schema: {
        operationId: 'registerAgent',
        summary: 'Register an agent',
        description:
          'Ids of agents are kept as given and compared without regard to case. 409 conflict if the id is taken, similar_id if it looks like an id in use. A request answered 409 counts as 10 towards the rate limit.',
        tags,
        body: NewAgent,
        response: { 201: Registered },
      },
    },
    async (req, reply) => {
      const { orgId } = enterTenant(req, req.body.org_id, 'agents.register')
      const made = await agents.register(orgId, actorOf(req), toRegistration(req.body))
      const { agent, secret, warnings } = made
      return reply.code(201).send({
        agent: toOwnAgent(agent),
        ...(secret === undefined ? {} : { agent_secret: secret }),
        warnings: [...warnings],
      })
    },
  )

  app.get(
    '/v1/agents',
    {
      config: { access: 'agents.read', perMinute: 120 },
      schema: {
        operationId: 'listAgents',
        summary: 'List the agents of your organisation',
        description: 'Newest first.',
        tags,
        querystring: AgentQuery,
        response: { 200: AgentPage },
      },
    },
    async (req) => listAgents(agents, requireTenant(req).orgId, req.query),
  )

  app.get(
    '/v1/orgs/:org_id/agents',
    {
      config: { access: 'agents.read', reads: 'replica', perMinute: 120 },
      schema: {
        operationId: 'listOrgAgents',
        summary: 'List the agents of an organisation',
        description: 'Newest first.',
        tags,
        params: OrgParams,
        querystring: AgentQuery,
        response: { 200: AgentPage },
      },
    },
    async (req) => listAgents(agents, req.params.org_id, req.query),
  )

  app.get(
    '/v1/agents/:agent_id',
    {
      config: { access: 'public', reads: 'replica', showsAgentState: true, perMinute: 120 },
      schema: {
        operationId: 'getAgent',
        summary: 'Get an agent',
        description: 'Without a credential of its organisation, only the public fields.',
        tags,
        params: AgentParams,
        response: { 200: AnyAgent },
      },
    },
    async (req) => {
      const { agent, own } = await agents.get(req.params.agent_id, orgIdsOf(req))
      return own ? toOwnAgent(agent) : toPublicAgent(agent)
    },
  )

  app.patch(
    '/v1/agents/:agent_id',
    {
      config: { access: 'agents.update', tenantFrom: 'agent', perMinute: 60, refuses: [409] },
      schema: {
        operationId: 'updateAgent',
        summary: 'Update an agent',
        tags,
        params: AgentParams,
        body: AgentChanges,
        response: { 200: OwnAgent },
      },
    },
    async (req) =>
      toOwnAgent(await agents.update(req.params.agent_id, toFields(req.body), actorOf(req))),
  )
}

/** Archiving hides an agent; erasure deletes it 30 days later. */
export function agentEndRoutes(app: Server, agents: AgentService): void {
  app.delete(
    '/v1/agents/:agent_id',
    {
      config: { access: 'agents.retire', tenantFrom: 'agent', perMinute: 60, refuses: [409] },
      schema: {
        operationId: 'archiveAgent',
        summary: 'Archive an agent',
        tags,
        params: AgentParams,
      },
    },
    async (req, reply) => {
      await agents.archive(req.params.agent_id, actorOf(req))
      return reply.code(204).send()
    },
  )

  app.post(
    '/v1/agents/:agent_id/erase',
    {
      config: { access: 'agents.retire', tenantFrom: 'agent', perMinute: 60 },
      schema: {
        operationId: 'eraseAgent',
        summary: 'Archive an agent and erase it after 30 days',
        tags,
        params: AgentParams,
        body: EraseBody,
        response: { 202: ErasureSet },
      },
    },
    async (req, reply) => {
      const { agent_id: agentId } = req.params
      if (canonicalAgentId(req.body.confirm) !== canonicalAgentId(agentId)) {
        throw new Problem('invalid_request', 'confirm: must be the id of the agent')
      }
      const purgeAfter = await agents.requestErasure(agentId, actorOf(req))
      return reply.code(202).send({ agent_id: agentId, purge_after: purgeAfter.toISOString() })
    },
  )
}

export function agentControlRoutes(app: Server, agents: AgentService): void {
  app.post(
    '/v1/agents/:agent_id/claim',
    {
      config: { access: 'user', perMinute: 10, perMinuteFor: { param: 'agent_id', limit: 5 } },
      schema: {
        operationId: 'claimAgent',
        summary: 'Claim an agent',
        description: 'Proves that you hold its secret.',
        tags,
        params: AgentParams,
        body: ClaimBody,
        response: { 200: Claimed },
      },
      preValidation: async (req) => {
        await agents.get(req.params.agent_id, claimableOrgs(req))
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      const { hash_proof: proof, email } = req.body
      const user = requireUser(req)
      const claimant = {
        userId: user.userId,
        email: email === undefined ? user.email : toEmail(email),
        orgIds: claimableOrgs(req),
      }
      const agent = await agents.claim(agentId, proof, claimant, actorOf(req))
      const claimedAt = agent.claimedAt?.toISOString() ?? null
      return { claimed: true as const, agent_id: agentId, claimed_at: claimedAt }
    },
  )

  app.get(
    '/v1/agents/:agent_id/enforcement',
    {
      config: { access: 'enforcement.read', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        operationId: 'getEnforcement',
        summary: "Get an agent's enforcement mode",
        tags,
        params: AgentParams,
        response: { 200: EnforcementMode },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      return toEnforcementMode(agentId, await agents.enforcement(agentId))
    },
  )

  app.put(
    '/v1/agents/:agent_id/enforcement',
    {
      config: { access: 'enforcement.change', tenantFrom: 'agent', perMinute: 60, refuses: [409] },
      schema: {
        operationId: 'setEnforcement',
        summary: "Set an agent's enforcement mode",
        tags,
        params: AgentParams,
        body: ModeBody,
        response: { 200: ModeSet },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      const wanted = toEnforcement(req.body)
      await agents.setEnforcement(agentId, wanted, actorOf(req))
      return { ...toEnforcementMode(agentId, wanted), updated: true as const }
    },
  )
}

type ListQuery = Parameters<typeof toPageRequest>[0] &
  Partial<Parameters<AgentService['list']>[1]> & { agent_id?: string }

async function listAgents(agents: AgentService, orgId: string, query: ListQuery) {
  const { agent_id: agentId, q, visibility, status } = query
  const filter = { agentId, q, visibility, status }
  return toAgentPage(await agents.list(orgId, filter, toPageRequest(query)))
}

/** The organisations in which the caller's role can claim agents (spec: platform §2.5). */
function claimableOrgs(req: FastifyRequest): string[] {
  const open = requireUser(req).tenants.filter((tenant) => !tenant.locked)
  return open.filter((tenant) => roleAllows(tenant.role, 'agents.claim')).map((t) => t.orgId)
}
