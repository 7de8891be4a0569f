import { sendExport } from '../../../http/answers/export-file.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import { ExportQuery, exportAnswer, type Shapes, toExportRequest } from './schema.ts'
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
      return sendExport(reply, { name, format: request.format, texts })
    },
  )
}
