import type { Server } from '../../../http/server.ts'
import { agentControlRoutes, agentEndRoutes, agentRoutes } from './routes.ts'
import { type AgentDeps, createAgentService } from './service.ts'

export function createAgentFeature(deps: AgentDeps) {
  const service = createAgentService(deps)
  const mount = (app: Server) => {
    agentRoutes(app, service)
    agentEndRoutes(app, service)
    agentControlRoutes(app, service)
  }
  return { service, mount }
}
