import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { browserSessionRoutes } from './browser-session-routes.ts'
import { accountSchedules, handleAccountJobs } from './jobs.ts'
import { discoveryRoutes, passwordRoutes, profileRoutes, sessionRoutes } from './routes.ts'
import { ownSessionRoutes, secondFactorRoutes } from './security-routes.ts'
import { type AccountDeps, createAccountService } from './service.ts'

export function createAccountFeature(deps: AccountDeps, lifecycle: Lifecycle) {
  const service = createAccountService(deps)
  handleAccountJobs(deps.jobs, service)
  lifecycle.add({
    name: 'platform/accounts',
    routes(app) {
      discoveryRoutes(app, service, deps.baseUrl)
      // Single sign-on issues our tokens too, so these stay when passwords are off.
      sessionRoutes(app, service)
      browserSessionRoutes(app, service)
      ownSessionRoutes(app, service)
      profileRoutes(app, service)
      if (!deps.localIdp) return
      passwordRoutes(app, service)
      secondFactorRoutes(app, service)
    },
    schedules: accountSchedules(service),
    hooks: { warm: service.prepareKeys },
    purges: [{ name: 'sessions', run: service.purge }],
  })
  return { service }
}
