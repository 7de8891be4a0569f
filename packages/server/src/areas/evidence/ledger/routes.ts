import type { FastifyRequest } from 'fastify'
import { enterTenant } from '../../../http/access/guard.ts'
import { reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  Checkpoint,
  CheckpointPage,
  CheckpointParams,
  CheckpointQuery,
  Integrity,
  SessionPage,
  SessionQuery,
  toCheckpoint,
  toCheckpointPage,
  toFilter,
  toIntegrity,
  toSessionPage,
} from './schema.ts'
import type { LedgerService } from './service.ts'

const tags = ['checkpoints']

export function ledgerRoutes(app: Server, ledger: LedgerService): void {
  app.get(
    '/v1/agents/:agent_id/checkpoints',
    {
      config: { access: 'checkpoints.read', reads: 'replica', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        operationId: 'listCheckpoints',
        summary: 'List the checkpoints of an agent',
        description: 'Newest first.',
        tags,
        params: AgentParams,
        querystring: CheckpointQuery,
        response: { 200: CheckpointPage },
      },
    },
    async (req) => {
      const filter = toFilter(req.params.agent_id, req.query)
      const page = await ledger.list(filter, toPageRequest(req.query))
      const ids = page.items.map(({ checkpoint }) => checkpoint.checkpointId)
      return toCheckpointPage(page, await ledger.logIndexesOf(ids))
    },
  )

  app.get(
    '/v1/checkpoints/:checkpoint_id',
    {
      // The organisation is known only once the checkpoint is found.
      config: { access: 'checkpoints.read', tenantFrom: 'handler', perMinute: 120 },
      schema: {
        operationId: 'getCheckpoint',
        summary: 'Get a checkpoint',
        tags,
        params: CheckpointParams,
        response: { 200: Checkpoint },
      },
    },
    async (req) => {
      const own = await getOwn(req, ledger, req.params.checkpoint_id)
      return toCheckpoint(own, await ledger.logIndexesOf([own.checkpointId]))
    },
  )

  app.get(
    '/v1/agents/:agent_id/integrity',
    {
      config: { access: 'checkpoints.read', reads: 'replica', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        operationId: 'getIntegrity',
        summary: "Get the counts of an agent's checkpoints by verdict",
        tags,
        params: AgentParams,
        response: { 200: Integrity },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      return toIntegrity(agentId, await ledger.integrity(agentId))
    },
  )

  app.get(
    '/v1/agents/:agent_id/sessions',
    {
      config: { access: 'checkpoints.read', reads: 'replica', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        operationId: 'listSessions',
        summary: 'List the sessions of an agent',
        description: 'The most recently active first.',
        tags,
        params: AgentParams,
        querystring: SessionQuery,
        response: { 200: SessionPage },
      },
    },
    async (req) =>
      toSessionPage(await ledger.sessions(req.params.agent_id, toPageRequest(req.query))),
  )
}

/** Another organisation's checkpoint gets the same answer as a missing one (spec: platform §1.2). */
async function getOwn(req: FastifyRequest, ledger: LedgerService, checkpointId: string) {
  const found = await ledger.findOwned(checkpointId)
  if (
    found === undefined ||
    !reaches(req.caller, { orgId: found.orgId, agentId: found.checkpoint.agentId })
  ) {
    throw new Problem('checkpoint_not_found', 'No such checkpoint.')
  }
  enterTenant(req, found.orgId, 'checkpoints.read', found.checkpoint.agentId)
  return found.checkpoint
}
