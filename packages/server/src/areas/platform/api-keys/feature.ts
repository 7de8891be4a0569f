import { goesWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { orgKeyRoutes, ownKeyRoutes } from './routes.ts'
import { createKeyService, type KeyDeps } from './service.ts'

export function createKeyFeature(deps: KeyDeps, lifecycle: Lifecycle) {
  const service = createKeyService(deps)
  lifecycle.add({
    name: 'platform/api-keys',
    routes(app) {
      ownKeyRoutes(app, service)
      orgKeyRoutes(app, service)
    },
    hooks: { orgClosed: service.close, orgErased: service.erase },
    tables: {
      api_key: goesWithOrg(),
    },
  })
  return { service }
}
