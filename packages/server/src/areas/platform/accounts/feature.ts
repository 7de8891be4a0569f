import type { Server } from '../../../http/server.ts'
import { accountJobs } from './jobs.ts'
import { discoveryRoutes, passwordRoutes, profileRoutes, sessionRoutes } from './routes.ts'
import { type AccountDeps, createAccountService } from './service.ts'

export function createAccountFeature(deps: AccountDeps) {
  const service = createAccountService(deps)
  accountJobs(deps.jobs, service)
  const mount = (app: Server) => {
    discoveryRoutes(app, service, deps.baseUrl)
    // Single sign-on issues our tokens too, so these stay when passwords are off.
    sessionRoutes(app, service)
    profileRoutes(app, service)
    if (deps.localIdp) passwordRoutes(app, service)
  }
  return { service, mount }
}
