import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { createDevChainService } from './dev-chain-service.ts'
import type { RelayerDeps } from './round-service.ts'
import { devChainRoutes, relayerRoutes } from './routes.ts'
import { createRelayerService } from './service.ts'

export function createRelayerFeature(deps: RelayerDeps, lifecycle: Lifecycle) {
  const service = createRelayerService(deps)
  const devChain = createDevChainService(deps.node)
  lifecycle.add({
    name: 'chain/relayer',
    routes(app) {
      relayerRoutes(app, service)
      devChainRoutes(app, devChain)
    },
    hooks: { serve: service.start, drain: service.stop },
    purges: [{ name: 'chain transactions', run: service.purge }],
  })
  return { service }
}
