import type { FastifyRequest } from 'fastify'
import { enterTenant, requireTenant } from '../../../http/access/guard.ts'
import { tenantOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { toPageRequest } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { CheckpointService } from '../ledger/service.ts'
import {
  BatchResult,
  Checking,
  Checkpoint,
  CheckpointPage,
  Integrity,
  SessionPage,
  toBatchResult,
  toChecking,
  toCheckpoint,
  toCheckpointPage,
  toIntegrity,
  toSessionPage,
} from './answer-schema.ts'
import {
  AgentParams,
  BatchBody,
  CheckpointBody,
  CheckpointParams,
  CheckpointQuery,
  readItem,
  SessionQuery,
  toFilter,
  toOwnSubmission,
} from './schema.ts'

const tags = ['checkpoints']

/** For single and batch POSTs (spec: platform §1.4). */
const BYTES_MAX = 5 * 1024 * 1024

/**
 * Limits: spec: evidence §8. In addition, an agent has 600 checkpoints a minute over all
 * credentials.
 */
export function checkpointIngestRoutes(app: Server, checkpoints: CheckpointService): void {
  app.post(
    '/v1/agents/:agent_id/checkpoints',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', tenantFrom: 'agent', perMinute: 600 },
      schema: {
        operationId: 'createCheckpoint',
        summary: 'Analyse a decision and record the checkpoint',
        description:
          "Appends the result to the agent's hash chain; 200 for a dry run or a duplicate.",
        tags,
        params: AgentParams,
        body: CheckpointBody,
        response: { 200: Checking, 201: Checking },
      },
    },
    async (req, reply) => {
      const org = requireTenant(req)
      const submission = toOwnSubmission(req.body, req.params.agent_id)
      if (req.body.dry_run === true) {
        return reply.code(200).send(toChecking(await checkpoints.dryRun(org, submission)))
      }
      const checked = await checkpoints.ingest(org, submission)
      return reply.code(checked.duplicate ? 200 : 201).send(toChecking(checked))
    },
  )

  app.post(
    '/v1/checkpoints/batch',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', perMinute: 60 },
      schema: {
        operationId: 'createCheckpointBatch',
        summary: 'Analyse and record up to 50 decisions',
        description: 'In the order given; one that is rejected does not stop the rest.',
        tags,
        body: BatchBody,
        response: { 200: BatchResult },
      },
    },
    async (req) => {
      const items = req.body.checkpoints.map((item) => readItem(req, item))
      return toBatchResult(await checkpoints.ingestAll(requireTenant(req), items))
    },
  )
}

export function checkpointRoutes(app: Server, checkpoints: CheckpointService): void {
  app.get(
    '/v1/agents/:agent_id/checkpoints',
    {
      config: { access: 'checkpoints.read', tenantFrom: 'agent', perMinute: 120 },
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
      return toCheckpointPage(await checkpoints.list(filter, toPageRequest(req.query)))
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
    async (req) => toCheckpoint(await getOwn(req, checkpoints, req.params.checkpoint_id)),
  )

  app.get(
    '/v1/agents/:agent_id/integrity',
    {
      config: { access: 'checkpoints.read', tenantFrom: 'agent', perMinute: 120 },
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
      return toIntegrity(agentId, await checkpoints.integrity(agentId))
    },
  )

  app.get(
    '/v1/agents/:agent_id/sessions',
    {
      config: { access: 'checkpoints.read', tenantFrom: 'agent', perMinute: 120 },
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
      toSessionPage(await checkpoints.sessions(req.params.agent_id, toPageRequest(req.query))),
  )
}

/** Another organisation's checkpoint gets the same answer as a missing one (spec: platform §1.2). */
async function getOwn(req: FastifyRequest, checkpoints: CheckpointService, checkpointId: string) {
  const found = await checkpoints.findOwned(checkpointId)
  if (found === undefined || tenantOf(req.caller, found.orgId) === undefined) {
    throw new Problem('checkpoint_not_found', 'No such checkpoint.')
  }
  enterTenant(req, found.orgId, 'checkpoints.read')
  return found.checkpoint
}
