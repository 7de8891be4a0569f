import type { Server } from '../../../http/server.ts'
import { coherenceRoutes } from './routes.ts'
import { type CoherenceDeps, createCoherenceService } from './service.ts'

export function createCoherenceFeature(deps: CoherenceDeps) {
  const service = createCoherenceService(deps)
  return { service, mount: (app: Server) => coherenceRoutes(app, service) }
}
