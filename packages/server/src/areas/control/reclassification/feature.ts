import type { Server } from '../../../http/server.ts'
import { reclassificationRoutes } from './routes.ts'
import { createReclassificationService, type ReclassificationDeps } from './service.ts'

export function createReclassificationFeature(deps: ReclassificationDeps) {
  const service = createReclassificationService(deps)
  return { service, mount: (app: Server) => reclassificationRoutes(app, service) }
}
