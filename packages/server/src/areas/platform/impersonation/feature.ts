import type { Server } from '../../../http/server.ts'
import { impersonationRoutes } from './routes.ts'
import { createImpersonationService, type ImpersonationDeps } from './service.ts'

export function createImpersonationFeature(deps: ImpersonationDeps) {
  const service = createImpersonationService(deps)
  return { service, mount: (app: Server) => impersonationRoutes(app, service) }
}
