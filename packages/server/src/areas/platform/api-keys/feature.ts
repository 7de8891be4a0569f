import { erasedWithAgentOrOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { orgKeyRoutes, ownKeyRoutes } from './routes.ts'
import { createKeyService, type KeyDeps } from './service.ts'

export function createKeyFeature(deps: KeyDeps, lifecycle: Lifecycle) {
  const service = createKeyService(deps)
  lifecycle.add({
    name: 'platform/api-keys',
    routes(app) {
      ownKeyRoutes(app, service, deps.clock)
      orgKeyRoutes(app, service, deps.clock)
    },
    hooks: {
      orgClosed: service.close,
      orgErased: service.erase,
      agentsArchived: service.revokeOfAgents,
      agentErased: service.eraseOfAgent,
    },
    tables: {
      api_key: erasedWithAgentOrOrg({ purged: 'with its organisation or its only agent' }),
    },
  })
  return { service }
}
