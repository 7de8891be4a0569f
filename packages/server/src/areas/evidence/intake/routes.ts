import { requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import {
  BatchResult,
  CheckpointResult,
  toBatchResult,
  toCheckpointResult,
} from './answer-schema.ts'
import { AgentParams, BatchBody, CheckpointBody, readItem, toOwnSubmission } from './schema.ts'
import type { IntakeService } from './service.ts'

const tags = ['checkpoints']

/** For single and batch POSTs (spec: platform §1.4). */
const BYTES_MAX = 5 * 1024 * 1024

/**
 * Limits: spec: evidence §8. In addition, an agent has 600 checkpoints a minute over all
 * credentials.
 */
export function intakeRoutes(app: Server, intake: IntakeService): void {
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
        response: { 200: CheckpointResult, 201: CheckpointResult },
      },
    },
    async (req, reply) => {
      const org = requireTenant(req)
      const submission = toOwnSubmission(req.body, req.params.agent_id)
      if (req.body.dry_run === true) {
        return reply.code(200).send(toCheckpointResult(await intake.dryRun(org, submission)))
      }
      const result = await intake.ingest(org, submission)
      return reply.code(result.duplicate ? 200 : 201).send(toCheckpointResult(result))
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
      return toBatchResult(await intake.ingestAll(requireTenant(req), items))
    },
  )
}
