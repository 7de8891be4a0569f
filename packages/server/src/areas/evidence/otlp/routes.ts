import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireTenant } from '../../../http/access/guard.ts'
import { isProtobuf } from '../../../http/body/body.ts'
import { boundAgentOf, senderOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import {
  LogExport,
  LogExportAnswer,
  SpanExport,
  SpanExportAnswer,
  toCounts,
  toExportMessage,
  toLogAnswer,
  toSpanAnswer,
} from './schema.ts'
import type { Export, OtlpService } from './service.ts'

/** The limit of trace and checkpoint POSTs (spec: platform §1.4). */
const BYTES_MAX = 5 * 1024 * 1024

const config = {
  access: 'evidence.ingest',
  agentFrom: 'handler',
  perMinute: 600,
  media: 'protobuf',
  envelope: 'rpc',
} as const

/** OpenTelemetry exporters append `/v1/traces` and `/v1/logs` to their endpoint, `…/v1/otlp`. */
export function otlpRoutes(app: Server, otlp: OtlpService): void {
  app.post(
    '/v1/otlp/v1/traces',
    {
      bodyLimit: BYTES_MAX,
      config,
      schema: {
        operationId: 'exportOtlpTraces',
        summary: 'Create traces and checkpoints from OpenTelemetry spans',
        description:
          'Spans that follow the GenAI semantic conventions, OpenInference or Langfuse. What is rejected or ignored is in partialSuccess.',
        tags: ['traces'],
        body: SpanExport,
        response: { 200: SpanExportAnswer },
      },
    },
    async (req, reply) => {
      const tally = await otlp.takeSpans(req.body, sentBy(req))
      reply.header('touchstone-spans', toCounts(tally))
      return encoded(req, reply, tally) ?? toSpanAnswer(tally)
    },
  )

  app.post(
    '/v1/otlp/v1/logs',
    {
      bodyLimit: BYTES_MAX,
      config,
      schema: {
        operationId: 'exportOtlpLogs',
        summary: 'Create checkpoints from OpenTelemetry log records',
        description:
          'Events of the GenAI semantic conventions with the content of model calls. What is rejected or ignored is in partialSuccess.',
        tags: ['traces'],
        body: LogExport,
        response: { 200: LogExportAnswer },
      },
    },
    async (req, reply) => {
      const tally = await otlp.takeLogs(req.body, sentBy(req))
      reply.header('touchstone-log-records', toCounts(tally))
      return encoded(req, reply, tally) ?? toLogAnswer(tally)
    },
  )
}

function sentBy(req: FastifyRequest): Export {
  const { orgId, accountId } = requireTenant(req)
  const org = { orgId, accountId, sentBy: senderOf(req.caller) }
  return { org, onlyAgent: boundAgentOf(req.caller) }
}

/** The answer to a request in protobuf. The cast bypasses the response type, which describes JSON. */
function encoded(
  req: FastifyRequest,
  reply: FastifyReply,
  tally: Parameters<typeof toExportMessage>[0],
): never | undefined {
  if (!isProtobuf(req)) return undefined
  // The route's schema describes the JSON answer; the cast is for the one in Protobuf.
  return reply.type('application/x-protobuf').send(toExportMessage(tally)) as never
}
