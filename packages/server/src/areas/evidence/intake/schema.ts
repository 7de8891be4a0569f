import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { toProblem } from '../../../http/answers/error-map.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import { ORIGIN_FIELDS, refuseOwnFields } from '../../../record-origin.ts'
import type { GivenSubmission } from './submission.ts'

/** spec: evidence §0. */
const AgentId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{2,127}$' })
const SessionId = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' })
const TraceId = Type.String({ pattern: '^[A-Za-z0-9._:-]{3,128}$' })
const CheckpointId = Type.String({
  pattern: '^ic-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  description: 'ic- and a version 4 UUID in lower case',
})
/** spec: evidence §4.1. */
const TEXT_LENGTH_MAX = 400_000

const Sent = Type.Optional(Type.String({ maxLength: TEXT_LENGTH_MAX }))
const Short = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }))
const parts = {
  thinking: Sent,
  output: Sent,
  checkpoint_id: Type.Optional(CheckpointId),
  session_id: Type.Optional(SessionId),
  timestamp: Type.Optional(Instant),
  provider: Short,
  model: Short,
  extraction_method: Type.Optional(
    NamedEnum('ExtractionMethod', ['native_thinking', 'reasoning_content', 'response_analysis']),
  ),
  actions: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 50 }),
  ),
  context: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'facts that escalation triggers refer to',
    }),
  ),
  task_context: Type.Optional(Type.String({ maxLength: 2000 })),
  trace_id: Type.Optional(TraceId),
  decision_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 128 }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'the decisions of the gateway that it is about, of the same agent and session',
    }),
  ),
}

export const CheckpointBody = NamedObject(
  'NewCheckpoint',
  {
    agent_id: Type.Optional(AgentId),
    ...parts,
    dry_run: Type.Optional(Type.Boolean({ description: 'true: analyse only and store nothing' })),
  },
  { description: 'A submission: thinking, output or both, at most 400,000 characters each.' },
)
const BatchItem = Type.Object({ agent_id: AgentId, ...parts })
export const BatchBody = NamedObject('NewCheckpointBatch', {
  checkpoints: Type.Array(Type.Unknown({ description: 'a submission with its agent_id' }), {
    minItems: 1,
    maxItems: 50,
  }),
})

export const AgentParams = Type.Object({ agent_id: Type.String() })

type Parts = Omit<Static<typeof BatchItem>, 'agent_id'>

/** Only the service makes these: a caller must not be able to submit its own findings or origin. */
const OURS = [
  'verdict',
  'concerns',
  'reasoning_summary',
  'conscience_context',
  'analysis_metadata',
  ...ORIGIN_FIELDS,
] as const

function toSubmission(body: Parts, agentId: string): GivenSubmission {
  refuseOwnFields(body, OURS)
  return {
    agentId,
    checkpointId: body.checkpoint_id,
    sessionId: body.session_id,
    timestamp: body.timestamp,
    provider: body.provider,
    model: body.model,
    extractionMethod: body.extraction_method,
    thinking: body.thinking,
    output: body.output,
    actions: body.actions ?? [],
    context: body.context ?? {},
    taskContext: body.task_context,
    traceId: body.trace_id,
    decisionIds: body.decision_ids ?? [],
  }
}

export function toOwnSubmission(
  body: Static<typeof CheckpointBody>,
  agentId: string,
): GivenSubmission {
  if (body.agent_id !== undefined && body.agent_id !== agentId) {
    throw new Problem('invalid_request', 'agent_id: must be the agent in the path')
  }
  return toSubmission(body, agentId)
}

/** Validates one item of a batch. An invalid item is reported and does not stop the rest. */
export function readItem(req: FastifyRequest, item: unknown): GivenSubmission | Problem {
  // Our validators return a value or an error; the framework's types say boolean.
  const judge = req.compileValidationSchema(BatchItem, 'body') as (value: unknown) => unknown
  const judged = judge(item) as { error?: unknown }
  if (judged.error !== undefined) return toProblem(judged.error, req.id)
  const body = item as Static<typeof BatchItem>
  try {
    if (Object.hasOwn(body, 'dry_run')) {
      throw new Problem(
        'invalid_request',
        'dry_run: is not allowed in a batch; send the checkpoint by itself',
      )
    }
    return toSubmission(body, body.agent_id)
  } catch (err) {
    if (err instanceof Problem) return err
    throw err
  }
}
