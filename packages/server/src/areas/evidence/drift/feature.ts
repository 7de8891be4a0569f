import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { driftRoutes } from './routes.ts'
import { createDriftService, type DriftDeps } from './service.ts'

export function createDriftFeature(deps: DriftDeps, lifecycle: Lifecycle) {
  const service = createDriftService(deps)
  lifecycle.add({
    name: 'evidence/drift',
    routes: (app) => driftRoutes(app, service),
    hooks: { agentErased: service.erase },
    tables: {
      drift_alert: erasedWithAgent(),
    },
  })
  return { service }
}
