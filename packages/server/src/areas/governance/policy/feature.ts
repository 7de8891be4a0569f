import type { Server } from '../../../http/server.ts'
import { policyRoutes } from './routes.ts'
import { createPolicyService, type PolicyDeps } from './service.ts'

export function createPolicyFeature(deps: PolicyDeps) {
  const service = createPolicyService(deps)
  return { service, mount: (app: Server) => policyRoutes(app, service) }
}
