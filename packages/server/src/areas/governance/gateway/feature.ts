import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { decideBatchRoute } from './batch-routes.ts'
import { createBatchService } from './batch-service.ts'
import { decideRoute } from './routes.ts'
import { createGatewayService, type GatewayDeps } from './service.ts'

export function createGatewayFeature(deps: GatewayDeps, lifecycle: Lifecycle) {
  const service = createGatewayService(deps)
  const batches = createBatchService(service, deps)
  lifecycle.add({
    name: 'governance/gateway',
    routes(app) {
      decideRoute(app, service)
      decideBatchRoute(app, batches)
    },
  })
  return { service, batches }
}
