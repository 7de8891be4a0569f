import { requireTenant } from '../../../http/access/guard.ts'
import type { GuardedRequest } from '../../../http/access/guarded.ts'
import { senderOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { recordSourceOf } from '../../../record-origin.ts'
import {
  BatchResult,
  CheckpointResult,
  toBatchResult,
  toCheckpointResult,
} from './answer-schema.ts'
import { AgentParams, BatchBody, CheckpointBody, readItem, toOwnSubmission } from './schema.ts'
import type { IntakeService } from './service.ts'

const tags = ['checkpoints']

function toSender(req: GuardedRequest) {
  const { orgId, accountId } = requireTenant(req)
  return { orgId, accountId, sentBy: senderOf(req.caller) }
}

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
        summary: 'Analyse a submission and record the checkpoint',
        description:
          "Appends the result to the agent's hash chain; 200 for a dry run or a duplicate.",
        tags,
        params: AgentParams,
        body: CheckpointBody,
        response: { 200: CheckpointResult, 201: CheckpointResult },
      },
    },
    async (req, reply) => {
      const org = toSender(req)
      const submission = toOwnSubmission(req.body, req.params.agent_id)
      const source = recordSourceOf(req.caller)
      if (req.body.dry_run === true) {
        const result = await intake.dryRun(org, submission, source)
        return reply.code(200).send(toCheckpointResult(result))
      }
      const result = await intake.ingest(org, submission, source)
      return reply.code(result.duplicate ? 200 : 201).send(toCheckpointResult(result))
    },
  )

  app.post(
    '/v1/checkpoints/batch',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', agentsIn: 'checkpoints', perMinute: 60 },
      schema: {
        operationId: 'createCheckpointBatch',
        summary: 'Analyse and record up to 50 submissions',
        description: 'In the order given; one that is rejected does not stop the rest.',
        tags,
        body: BatchBody,
        response: { 200: BatchResult },
      },
    },
    async (req) => {
      const given = req.body.checkpoints.map((item) => readItem(req, item))
      const source = recordSourceOf(req.caller)
      return toBatchResult(await intake.ingestAll(toSender(req), { given, source }))
    },
  )
}
