import type { Server } from '../../../http/server.ts'
import { complianceRoutes } from './routes.ts'
import type { Shapes } from './schema.ts'
import { type ComplianceDeps, createComplianceService } from './service.ts'

export function createComplianceFeature(deps: ComplianceDeps & { shapes: Shapes }) {
  const service = createComplianceService(deps)
  return { service, mount: (app: Server) => complianceRoutes(app, service, deps.shapes) }
}
