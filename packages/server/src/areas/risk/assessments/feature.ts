import { erasedWithAgentOrOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { assessmentRoutes, assessRoutes } from './routes.ts'
import { createRiskService, type RiskDeps } from './service.ts'

export function createRiskFeature(deps: RiskDeps, lifecycle: Lifecycle) {
  const service = createRiskService(deps)
  lifecycle.add({
    name: 'risk/assessments',
    routes(app) {
      assessRoutes(app, service)
      assessmentRoutes(app, service)
    },
    hooks: { stop: service.close, agentErased: service.erase, orgErased: service.eraseOrg },
    tables: {
      risk_assessment: erasedWithAgentOrOrg(),
      team_risk_assessment: erasedWithAgentOrOrg(),
      team_risk_document: erasedWithAgentOrOrg(),
    },
  })
  return { service }
}
