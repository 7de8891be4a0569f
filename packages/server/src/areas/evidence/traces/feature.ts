import type { Server } from '../../../http/server.ts'
import { traceIngestRoutes, traceRoutes } from './routes.ts'
import { createTraceService, type TraceDeps } from './service.ts'

export function createTraceFeature(deps: TraceDeps) {
  const service = createTraceService(deps)
  const mount = (app: Server) => {
    traceIngestRoutes(app, service)
    traceRoutes(app, service)
  }
  return { service, mount }
}
