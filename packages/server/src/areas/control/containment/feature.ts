import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { containmentRoutes } from './routes.ts'
import { type ContainmentDeps, createContainmentService } from './service.ts'

export function createContainmentFeature(deps: ContainmentDeps, lifecycle: Lifecycle) {
  const service = createContainmentService(deps)
  lifecycle.add({
    name: 'control/containment',
    routes: (app) => containmentRoutes(app, service),
    hooks: { agentErased: service.erase },
    tables: {
      containment_entry: erasedWithAgent(),
    },
  })
  return { service }
}
