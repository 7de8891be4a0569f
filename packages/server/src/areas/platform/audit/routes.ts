import { sendExport } from '../../../http/answers/export-file.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toPageRequest } from '../../../http/wire.ts'
import {
  AuditExportAnswer,
  AuditExportQuery,
  AuditPage,
  AuditQuery,
  toAuditPage,
  toFilter,
} from './schema.ts'
import type { AuditService } from './service.ts'

export function auditRoutes(app: Server, audit: AuditService): void {
  app.get(
    '/v1/orgs/:org_id/audit-log',
    {
      config: { access: 'audit_log.read', reads: 'replica', perMinute: 60 },
      schema: {
        operationId: 'listAuditLog',
        summary: 'List the audit log of an organisation',
        description: 'Newest first.',
        tags: ['organisations'],
        params: OrgParams,
        querystring: AuditQuery,
        response: { 200: AuditPage },
      },
    },
    async (req) => {
      const { org_id: orgId } = req.params
      return toAuditPage(await audit.list(orgId, toFilter(req.query), toPageRequest(req.query)))
    },
  )

  app.get(
    '/v1/orgs/:org_id/audit-log/export',
    {
      config: { access: 'audit_log.read', reads: 'replica', perMinute: 10 },
      schema: {
        operationId: 'exportAuditLog',
        summary: 'Export the audit log of an organisation as a file',
        description: 'Filters as in the list.',
        tags: ['organisations'],
        params: OrgParams,
        querystring: AuditExportQuery,
        response: { 200: AuditExportAnswer },
      },
    },
    async (req, reply) => {
      const { format = 'ndjson', ...query } = req.query
      const texts = audit.exports.texts(req.params.org_id, toFilter(query), format)
      return sendExport(reply, { name: `audit-log.${format}`, format, texts })
    },
  )
}
