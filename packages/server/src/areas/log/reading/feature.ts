import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { proofRoutes, tileRoutes } from './routes.ts'
import { createReadingService, type ReadingDeps } from './service.ts'

export function createReadingFeature(deps: ReadingDeps, lifecycle: Lifecycle) {
  const service = createReadingService(deps)
  lifecycle.add({
    name: 'log/reading',
    routes(app) {
      tileRoutes(app, service)
      proofRoutes(app, service)
    },
  })
  return { service }
}
