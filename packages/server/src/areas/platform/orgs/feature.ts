import type { Server } from '../../../http/server.ts'
import { memberRoutes, orgAdminRoutes, orgRoutes } from './routes.ts'
import { createOrgService, type OrgDeps } from './service.ts'

export function createOrgFeature(deps: OrgDeps) {
  const service = createOrgService(deps)
  const mount = (app: Server) => {
    orgRoutes(app, service)
    memberRoutes(app, service)
    orgAdminRoutes(app, service)
  }
  return { service, mount }
}
