import type { Server } from '../../../http/server.ts'
import { impactRoutes } from './routes.ts'
import { createImpactService, type ImpactDeps } from './service.ts'

export function createImpactFeature(deps: ImpactDeps) {
  const service = createImpactService(deps)
  return { service, mount: (app: Server) => impactRoutes(app, service) }
}
