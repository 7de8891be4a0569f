import type { Server } from '../../../http/server.ts'
import { streamRoutes } from './routes.ts'
import { createStreamService, type StreamDeps } from './service.ts'

export function createStreamFeature(deps: StreamDeps) {
  const service = createStreamService(deps)
  return { service, mount: (app: Server) => streamRoutes(app, service) }
}
