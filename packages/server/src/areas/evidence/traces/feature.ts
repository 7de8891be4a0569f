import type { Server } from '../../../http/server.ts'
import type { TraceDeps } from './ingest-service.ts'
import { traceIngestRoutes, traceRoutes } from './routes.ts'
import { createTraceService } from './service.ts'

export function createTraceFeature(deps: TraceDeps) {
  const service = createTraceService(deps)
  const mount = (app: Server) => {
    traceIngestRoutes(app, service)
    traceRoutes(app, service)
  }
  return { service, mount }
}
