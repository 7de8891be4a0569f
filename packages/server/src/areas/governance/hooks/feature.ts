import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { hookRoutes } from './routes.ts'
import { createHookService, type HookDeps } from './service.ts'

export function createHookFeature(deps: HookDeps, lifecycle: Lifecycle): void {
  const service = createHookService(deps)
  lifecycle.add({ name: 'governance/hooks', routes: (app) => hookRoutes(app, service) })
}
