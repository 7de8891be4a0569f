import type { Lifecycle } from '../../../lifecycle-phases.ts'
import type { RelayerDeps } from './round-service.ts'
import { devChainRoutes, relayerRoutes } from './routes.ts'
import { createRelayerService } from './service.ts'

export function createRelayerFeature(deps: RelayerDeps, lifecycle: Lifecycle) {
  const service = createRelayerService(deps)
  lifecycle.add({
    name: 'chain/relayer',
    routes(app) {
      relayerRoutes(app, service)
      devChainRoutes(app, service)
    },
    hooks: { serve: service.start, drain: service.stop },
    purges: [{ name: 'chain transactions', run: service.purge }],
  })
  return { service }
}
