import { erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { auditRoutes } from './routes.ts'
import { createAuditService } from './service.ts'

export function createAuditFeature(
  deps: Parameters<typeof createAuditService>[0],
  lifecycle: Lifecycle,
) {
  const service = createAuditService(deps)
  lifecycle.add({
    name: 'platform/audit',
    routes: (app) => auditRoutes(app, service),
    // Erasing may itself be recorded, so the log goes last.
    hooks: { serve: service.prepare, orgErased: { run: service.eraseOrg, last: true } },
    purges: [{ name: 'audit log', run: service.purge }],
    tables: {
      audit_entry: erasedWithOrg({
        exported: 'audit log',
        purged: 'with its month, after 400 days',
      }),
    },
  })
  return { service }
}
