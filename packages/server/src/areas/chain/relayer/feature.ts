import type { Server } from '../../../http/server.ts'
import type { RelayerDeps } from './round-service.ts'
import { devChainRoutes, relayerRoutes } from './routes.ts'
import { createRelayerService } from './service.ts'

export function createRelayerFeature(deps: RelayerDeps) {
  const service = createRelayerService(deps)
  const mount = (app: Server) => {
    relayerRoutes(app, service)
    devChainRoutes(app, service)
  }
  return { service, mount }
}
