import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { policyRoutes } from './routes.ts'
import { createPolicyService, type PolicyDeps } from './service.ts'

export function createPolicyFeature(deps: PolicyDeps, lifecycle: Lifecycle) {
  const service = createPolicyService(deps)
  lifecycle.add({
    name: 'governance/policy',
    routes: (app) => policyRoutes(app, service),
    hooks: {
      agentErased: service.erase,
      orgErased: service.eraseOrg,
      teamErased: service.eraseTeam,
    },
  })
  return { service }
}
