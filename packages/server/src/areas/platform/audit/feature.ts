import type { Server } from '../../../http/server.ts'
import { auditRoutes } from './routes.ts'
import { createAuditService } from './service.ts'

export function createAuditFeature(deps: Parameters<typeof createAuditService>[0]) {
  const service = createAuditService(deps)
  return { service, mount: (app: Server) => auditRoutes(app, service) }
}
