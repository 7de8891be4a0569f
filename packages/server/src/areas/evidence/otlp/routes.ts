import { requireTenant } from '../../../http/access/guard.ts'
import { isProtobuf } from '../../../http/body/body.ts'
import { boundAgentOf, senderOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { ExportAnswer, ExportBody, toCounts, toExportAnswer, toExportMessage } from './schema.ts'
import type { OtlpService } from './service.ts'

/** The limit of trace and checkpoint POSTs (spec: platform §1.4). */
const BYTES_MAX = 5 * 1024 * 1024

/** OpenTelemetry exporters append `/v1/traces` to their endpoint, which is `…/v1/otlp`. */
export function otlpRoutes(app: Server, otlp: OtlpService): void {
  app.post(
    '/v1/otlp/v1/traces',
    {
      bodyLimit: BYTES_MAX,
      config: {
        access: 'evidence.ingest',
        agentFrom: 'handler',
        perMinute: 600,
        media: 'protobuf',
        envelope: 'rpc',
      },
      schema: {
        operationId: 'exportOtlpTraces',
        summary: 'Create traces and checkpoints from OpenTelemetry spans',
        description: 'Spans that follow the GenAI semantic conventions.',
        tags: ['traces'],
        body: ExportBody,
        response: { 200: ExportAnswer },
      },
    },
    async (req, reply) => {
      const { orgId, accountId } = requireTenant(req)
      const sender = { orgId, accountId, sentBy: senderOf(req.caller) }
      const tally = await otlp.take(sender, req.body, boundAgentOf(req.caller))
      reply.header('touchstone-spans', toCounts(tally))
      if (!isProtobuf(req)) return reply.send(toExportAnswer(tally))
      // The cast bypasses the response type, which describes the JSON encoding.
      return reply.type('application/x-protobuf').send(toExportMessage(tally) as never)
    },
  )
}
