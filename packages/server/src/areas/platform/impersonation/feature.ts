import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { impersonationRoutes } from './routes.ts'
import { createImpersonationService, type ImpersonationDeps } from './service.ts'

export function createImpersonationFeature(deps: ImpersonationDeps, lifecycle: Lifecycle) {
  const service = createImpersonationService(deps)
  lifecycle.add({
    name: 'platform/impersonation',
    routes: (app) => impersonationRoutes(app, service),
    purges: [{ name: 'impersonation', run: service.purge }],
  })
  return { service }
}
