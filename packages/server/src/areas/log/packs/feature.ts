import { erasedWithAgentOrOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { packRoutes } from './routes.ts'
import { createPackService, type PackDeps } from './service.ts'

export function createPackFeature(deps: PackDeps, lifecycle: Lifecycle) {
  const service = createPackService(deps)
  service.handleJobs()
  lifecycle.add({
    name: 'log/packs',
    routes: (app) => packRoutes(app, service),
    hooks: { agentErased: service.eraseAgent, orgErased: service.eraseOrg },
    purges: [{ name: 'evidence packs', run: service.purge }],
    tables: {
      log_pack: erasedWithAgentOrOrg({
        exported: 'GET /v1/orgs/{org_id}/evidence-pack',
        purged: '7 days after it is ready, or when a newer one takes its place',
      }),
    },
  })
  return { service }
}
