import type { Server } from '../../../http/server.ts'
import { assessmentRoutes, assessRoutes } from './routes.ts'
import { createRiskService, type RiskDeps } from './service.ts'

export function createRiskFeature(deps: RiskDeps) {
  const service = createRiskService(deps)
  const mount = (app: Server) => {
    assessRoutes(app, service)
    assessmentRoutes(app, service)
  }
  return { service, mount }
}
