import { erasedWithAgent, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import type { PublishingDeps } from './ports.ts'
import { publishingRoutes } from './routes.ts'
import { createPublishingService } from './service.ts'

export function createPublishingFeature(deps: PublishingDeps, lifecycle: Lifecycle) {
  const service = createPublishingService(deps)
  lifecycle.add({
    name: 'chain/publishing',
    routes: (app) => publishingRoutes(app, service),
    hooks: { agentErased: service.erase, orgErased: service.eraseOrg },
    tables: {
      publication: erasedWithOrg(),
      publication_score: erasedWithAgent(),
    },
  })
  return { service }
}
