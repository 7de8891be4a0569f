import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { complianceRoutes } from './routes.ts'
import type { Shapes } from './schema.ts'
import { type ComplianceDeps, createComplianceService } from './service.ts'

export function createComplianceFeature(
  deps: ComplianceDeps & { shapes: Shapes },
  lifecycle: Lifecycle,
) {
  const service = createComplianceService(deps)
  lifecycle.add({
    name: 'control/compliance',
    routes: (app) => complianceRoutes(app, service, deps.shapes),
  })
  return { service }
}
