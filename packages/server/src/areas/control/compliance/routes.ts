import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import { ExportQuery, exportAnswer, MEDIA_TYPES, type Shapes, toExportRequest } from './schema.ts'
import type { ComplianceService } from './service.ts'

/** Limit: interface, Limits. */
export function complianceRoutes(app: Server, compliance: ComplianceService, shapes: Shapes): void {
  app.get(
    '/v1/agents/:agent_id/compliance-export',
    {
      config: { access: 'compliance.export', tenantFrom: 'agent', perMinute: 10 },
      schema: {
        summary: 'Violations of an agent, what became of them, and its scores, as a file',
        tags: ['reclassification'],
        params: AgentParams,
        querystring: ExportQuery,
        response: { 200: exportAnswer(shapes) },
      },
    },
    async (req, reply) => {
      const request = toExportRequest(req.params.agent_id, req.query)
      const { name, texts } = await compliance.export(request)
      // One text at a time: the next is made when the caller has taken this one.
      const stream = Readable.from(texts, { highWaterMark: 1 })
      return attached(reply, name).type(MEDIA_TYPES[request.format]).send(stream)
    },
  )
}

/** INVARIANT: ids of agents have no character that would end the quotes. */
function attached(reply: FastifyReply, name: string): FastifyReply {
  return reply.header('content-disposition', `attachment; filename="${name}"`)
}
