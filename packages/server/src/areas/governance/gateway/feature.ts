import { goesWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { decideRoute, escalationRoutes } from './routes.ts'
import { createGatewayService, type GatewayDeps } from './service.ts'

export function createGatewayFeature(deps: GatewayDeps, lifecycle: Lifecycle) {
  const service = createGatewayService(deps)
  lifecycle.add({
    name: 'governance/gateway',
    routes(app) {
      decideRoute(app, service)
      escalationRoutes(app, service.escalations)
    },
    hooks: { agentErased: service.escalations.erase },
    purges: [{ name: 'escalations', run: service.escalations.purge }],
    tables: {
      escalation: goesWithAgent({ purged: '90 days after its end' }),
    },
  })
  return { service }
}
