import { erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { ssoRoutes, ssoSignInRoutes } from './routes.ts'
import { createSsoService, type SsoDeps } from './service.ts'

export function createSsoFeature(deps: SsoDeps, lifecycle: Lifecycle) {
  const service = createSsoService(deps)
  lifecycle.add({
    name: 'platform/sso',
    routes(app) {
      ssoRoutes(app, service)
      ssoSignInRoutes(app, service)
    },
    hooks: { orgClosed: service.close, orgReopened: service.reopen, orgErased: service.erase },
    purges: [{ name: 'single sign-on', run: service.purge }],
    tables: {
      sso_config: erasedWithOrg(),
      sso_domain: erasedWithOrg(),
      sso_request: erasedWithOrg({ purged: 'when it expires' }),
      sso_assertion: erasedWithOrg({ purged: 'when it expires' }),
      sso_code: erasedWithOrg({ purged: 'when it expires' }),
    },
  })
  return { service }
}
