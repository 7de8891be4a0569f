import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { streamRoutes } from './routes.ts'
import { createStreamService, type StreamDeps } from './service.ts'

export function createStreamFeature(deps: StreamDeps, lifecycle: Lifecycle) {
  const service = createStreamService(deps)
  lifecycle.add({
    name: 'platform/stream',
    routes: (app) => streamRoutes(app, service),
    hooks: { warm: service.start, stop: service.close },
  })
  return { service }
}
