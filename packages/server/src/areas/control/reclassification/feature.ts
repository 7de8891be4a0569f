import type { Server } from '../../../http/server.ts'
import { reclassificationRoutes } from './routes.ts'
import { CardAmendment, Reclassification, Violation } from './schema.ts'
import { createReclassificationService, type ReclassificationDeps } from './service.ts'

export function createReclassificationFeature(deps: ReclassificationDeps) {
  const service = createReclassificationService(deps)
  const shapes = {
    violation: Violation,
    reclassification: Reclassification,
    cardAmendment: CardAmendment,
  }
  return { service, shapes, mount: (app: Server) => reclassificationRoutes(app, service) }
}
