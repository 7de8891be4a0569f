import type { Server } from '../../../http/server.ts'
import { ssoRoutes, ssoSignInRoutes } from './routes.ts'
import { createSsoService, type SsoDeps } from './service.ts'

export function createSsoFeature(deps: SsoDeps) {
  const service = createSsoService(deps)
  const mount = (app: Server) => {
    ssoRoutes(app, service)
    ssoSignInRoutes(app, service)
  }
  return { service, mount }
}
