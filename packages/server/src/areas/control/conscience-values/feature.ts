import { erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { conscienceRoutes } from './routes.ts'
import { type ConscienceDeps, createConscienceService } from './service.ts'

export function createConscienceFeature(deps: ConscienceDeps, lifecycle: Lifecycle) {
  const service = createConscienceService(deps)
  lifecycle.add({
    name: 'control/conscience-values',
    routes: (app) => conscienceRoutes(app, service),
    hooks: { orgErased: service.eraseOrg },
    tables: {
      conscience_setting: erasedWithOrg(),
      conscience_value: erasedWithOrg(),
      conscience_log: erasedWithOrg(),
    },
  })
  return { service }
}
