import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { intakeRoutes } from './routes.ts'
import { createIntakeService, type IntakeDeps } from './service.ts'

export function createIntakeFeature(deps: IntakeDeps, lifecycle: Lifecycle) {
  const service = createIntakeService(deps)
  lifecycle.add({ name: 'evidence/intake', routes: (app) => intakeRoutes(app, service) })
  return { service }
}
