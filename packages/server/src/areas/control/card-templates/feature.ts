import type { Server } from '../../../http/server.ts'
import { exemptionRoute, templateRoutes } from './routes.ts'
import { createTemplateService, type TemplateDeps } from './service.ts'

export function createTemplateFeature(deps: TemplateDeps) {
  const service = createTemplateService(deps)
  const mount = (app: Server) => {
    templateRoutes(app, service)
    exemptionRoute(app, service)
  }
  return { service, mount }
}
