import type { Server } from '../../../http/server.ts'
import { trustEdgeRoutes } from './routes.ts'
import { createTrustEdgeService, type TrustEdgeDeps } from './service.ts'

export function createTrustEdgeFeature(deps: TrustEdgeDeps) {
  const service = createTrustEdgeService(deps)
  return { service, mount: (app: Server) => trustEdgeRoutes(app, service) }
}
