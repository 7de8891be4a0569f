import type { Server } from '../../../http/server.ts'
import { decideRoute, escalationRoutes, hotDecision } from './routes.ts'
import { createGatewayService, type GatewayDeps } from './service.ts'

export function createGatewayFeature(deps: GatewayDeps) {
  const service = createGatewayService(deps)
  const mount = (app: Server) => {
    decideRoute(app, service)
    escalationRoutes(app, service.escalations)
  }
  return { service, mount, hotCall: hotDecision(service) }
}
