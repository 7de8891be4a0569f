import type { Server } from '../../../http/server.ts'
import { conscienceRoutes } from './routes.ts'
import { type ConscienceDeps, createConscienceService } from './service.ts'

export function createConscienceFeature(deps: ConscienceDeps) {
  const service = createConscienceService(deps)
  return { service, mount: (app: Server) => conscienceRoutes(app, service) }
}
