import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { reclassificationRoutes } from './routes.ts'
import { CardAmendment, Reclassification, Violation } from './schema.ts'
import { createReclassificationService, type ReclassificationDeps } from './service.ts'

export function createReclassificationFeature(deps: ReclassificationDeps, lifecycle: Lifecycle) {
  const service = createReclassificationService(deps)
  const shapes = {
    violation: Violation,
    reclassification: Reclassification,
    cardAmendment: CardAmendment,
  }
  lifecycle.add({
    name: 'control/reclassification',
    routes: (app) => reclassificationRoutes(app, service),
    hooks: { agentErased: service.erase },
    tables: {
      reclassification: erasedWithAgent({ exported: 'compliance export' }),
      violation_comment: erasedWithAgent({ exported: 'compliance export' }),
    },
  })
  return { service, shapes }
}
