import type { Server } from '../../../http/server.ts'
import { orgKeyRoutes, ownKeyRoutes } from './routes.ts'
import { createKeyService, type KeyDeps } from './service.ts'

export function createKeyFeature(deps: KeyDeps) {
  const service = createKeyService(deps)
  const mount = (app: Server) => {
    ownKeyRoutes(app, service)
    orgKeyRoutes(app, service)
  }
  return { service, mount }
}
