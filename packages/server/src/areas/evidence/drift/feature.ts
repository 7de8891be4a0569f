import type { Server } from '../../../http/server.ts'
import { driftRoutes } from './routes.ts'
import { createDriftService, type DriftDeps } from './service.ts'

export function createDriftFeature(deps: DriftDeps) {
  const service = createDriftService(deps)
  return { service, mount: (app: Server) => driftRoutes(app, service) }
}
