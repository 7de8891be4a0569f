import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { impactRoutes } from './routes.ts'
import { createImpactService, type ImpactDeps } from './service.ts'

export function createImpactFeature(deps: ImpactDeps, lifecycle: Lifecycle) {
  const service = createImpactService(deps)
  lifecycle.add({
    name: 'governance/impact',
    routes: (app) => impactRoutes(app, service),
  })
  return { service }
}
