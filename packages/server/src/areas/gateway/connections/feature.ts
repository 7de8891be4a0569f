import { erasedWithAgentOrOrg, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { connectionRoutes } from './routes.ts'
import { type ConnectionDeps, createConnectionService } from './service.ts'

export function createConnectionFeature(deps: ConnectionDeps, lifecycle: Lifecycle) {
  const service = createConnectionService(deps)
  const purged = '90 days after revocation'
  lifecycle.add({
    name: 'gateway/connections',
    routes: (app) => connectionRoutes(app, service),
    hooks: {
      agentsArchived: service.revokeOfAgents,
      agentErased: service.eraseOfAgent,
      orgErased: service.erase,
    },
    purges: [{ name: 'connections', run: service.purge }],
    tables: {
      model_connection: erasedWithAgentOrOrg({ exported: 'connections', purged }),
      // Deleted with their connection, or with the organisation.
      model_connection_former: erasedWithOrg({ purged }),
    },
  })
  return { service }
}
