import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import { ExportQuery, exportAnswer, MEDIA_TYPES, type Shapes, toExportRequest } from './schema.ts'
import type { ComplianceService } from './service.ts'

/** Limit: spec: interface, Limits. */
export function complianceRoutes(app: Server, compliance: ComplianceService, shapes: Shapes): void {
  app.get(
    '/v1/agents/:agent_id/compliance-export',
    {
      config: { access: 'compliance.export', tenantFrom: 'agent', perMinute: 10 },
      schema: {
        operationId: 'exportCompliance',
        summary: 'Export the compliance record of an agent',
        description: 'Its violations, reclassifications, card amendments and scores, as a file.',
        tags: ['reclassification'],
        params: AgentParams,
        querystring: ExportQuery,
        response: { 200: exportAnswer(shapes) },
      },
    },
    async (req, reply) => {
      const request = toExportRequest(req.params.agent_id, req.query)
      const { name, texts } = await compliance.export(request)
      // Back-pressure: the next chunk is built once the caller has read this one.
      const stream = Readable.from(texts, { highWaterMark: 1 })
      return attached(reply, name).type(MEDIA_TYPES[request.format]).send(stream)
    },
  )
}

/** INVARIANT: agent ids contain no character that would close the quotes. */
function attached(reply: FastifyReply, name: string): FastifyReply {
  return reply.header('content-disposition', `attachment; filename="${name}"`)
}
