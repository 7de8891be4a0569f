import type { Server } from '../../../http/server.ts'
import { OrgParams, toInstant, toPageRequest } from '../../../http/wire.ts'
import { AuditPage, AuditQuery, toAuditPage } from './schema.ts'
import type { AuditService } from './service.ts'

export function auditRoutes(app: Server, audit: AuditService): void {
  app.get(
    '/v1/orgs/:org_id/audit-log',
    {
      config: { access: 'audit_log.read', perMinute: 60 },
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
      const { action, actor, target } = req.query
      const from = toInstant(req.query.from, 'from')
      const to = toInstant(req.query.to, 'to')
      const filter = { action, actor, target, from, to }
      return toAuditPage(await audit.list(req.params.org_id, filter, toPageRequest(req.query)))
    },
  )
}
