import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { overviewRoutes } from './routes.ts'
import { createOverviewService, type OverviewDeps } from './service.ts'

export function createOverviewFeature(deps: OverviewDeps, lifecycle: Lifecycle): void {
  const service = createOverviewService(deps)
  lifecycle.add({
    name: 'fleet/overview',
    routes: (app) => overviewRoutes(app, service),
  })
}
