import { requireTenant } from '../../../http/access/guard.ts'
import { isProtobuf } from '../../../http/body/body.ts'
import type { Server } from '../../../http/server.ts'
import { ExportAnswer, ExportBody, toCounts, toExportAnswer, toExportMessage } from './schema.ts'
import type { OtlpService } from './service.ts'

/** 04 §1.4, as of the evidence that is made of it. */
const BYTES_MAX = 5 * 1024 * 1024

/** What exporters of OpenTelemetry send to when they are told `…/v1/otlp` as their endpoint. */
export function otlpRoutes(app: Server, otlp: OtlpService): void {
  app.post(
    '/v1/otlp/v1/traces',
    {
      bodyLimit: BYTES_MAX,
      config: {
        access: 'evidence.ingest',
        perMinute: 600,
        media: 'protobuf',
        envelope: 'rpc',
      },
      schema: {
        summary: 'Make traces and checkpoints of OpenTelemetry spans of the GenAI conventions',
        tags: ['traces'],
        body: ExportBody,
        response: { 200: ExportAnswer },
      },
    },
    async (req, reply) => {
      const tally = await otlp.take(requireTenant(req), req.body)
      reply.header('touchstone-spans', toCounts(tally))
      if (!isProtobuf(req)) return reply.send(toExportAnswer(tally))
      return reply.type('application/x-protobuf').send(toExportMessage(tally) as never)
    },
  )
}
