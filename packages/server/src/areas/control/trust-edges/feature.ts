import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { trustEdgeRoutes } from './routes.ts'
import { createTrustEdgeService, type TrustEdgeDeps } from './service.ts'

export function createTrustEdgeFeature(deps: TrustEdgeDeps, lifecycle: Lifecycle) {
  const service = createTrustEdgeService(deps)
  lifecycle.add({
    name: 'control/trust-edges',
    routes: (app) => trustEdgeRoutes(app, service),
    hooks: { agentErased: service.erase },
    tables: {
      trust_edge: erasedWithAgent(),
    },
  })
  return { service }
}
