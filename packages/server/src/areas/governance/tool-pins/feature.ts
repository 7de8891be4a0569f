import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { toolPinRoutes } from './routes.ts'
import { createToolPinService, type ToolPinDeps } from './service.ts'

export function createToolPinFeature(deps: ToolPinDeps, lifecycle: Lifecycle) {
  const service = createToolPinService(deps)
  lifecycle.add({
    name: 'governance/tool-pins',
    routes: (app) => toolPinRoutes(app, service),
    hooks: { agentErased: service.erase },
    tables: { tool_pin: erasedWithAgent({ exported: 'tool pins' }) },
  })
  return { service }
}
