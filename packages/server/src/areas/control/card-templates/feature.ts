import { erasedWithAgent, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { exemptionRoute, templateRoutes } from './routes.ts'
import { createTemplateService, type TemplateDeps } from './service.ts'

export function createTemplateFeature(deps: TemplateDeps, lifecycle: Lifecycle) {
  const service = createTemplateService(deps)
  lifecycle.add({
    name: 'control/card-templates',
    routes(app) {
      templateRoutes(app, service)
      exemptionRoute(app, service)
    },
    hooks: { agentErased: service.erase, orgErased: service.eraseOrg },
    tables: {
      card_template: erasedWithOrg(),
      card_exemption: erasedWithAgent(),
    },
  })
  return { service }
}
