import type { Server } from '../../../http/server.ts'
import { containmentRoutes } from './routes.ts'
import { type ContainmentDeps, createContainmentService } from './service.ts'

export function createContainmentFeature(deps: ContainmentDeps) {
  const service = createContainmentService(deps)
  return { service, mount: (app: Server) => containmentRoutes(app, service) }
}
