import type { Server } from '../../../http/server.ts'
import { planAdminRoutes, planRoutes } from './routes.ts'
import { createPlanService, type PlanDeps } from './service.ts'

export function createPlanFeature(deps: PlanDeps) {
  const service = createPlanService(deps)
  const mount = (app: Server) => {
    planRoutes(app, service)
    planAdminRoutes(app, service)
  }
  return { service, mount }
}
