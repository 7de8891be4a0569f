import type { Server } from '../../../http/server.ts'
import type { PublishingDeps } from './ports.ts'
import { publishingRoutes } from './routes.ts'
import { createPublishingService } from './service.ts'

export function createPublishingFeature(deps: PublishingDeps) {
  const service = createPublishingService(deps)
  return { service, mount: (app: Server) => publishingRoutes(app, service) }
}
