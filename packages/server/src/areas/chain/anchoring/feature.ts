import { erasedWithAgent, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { anchoringSchedules } from './jobs.ts'
import type { AnchoringDeps } from './ports.ts'
import { anchoringRoutes } from './routes.ts'
import { createAnchoringService } from './service.ts'

export function createAnchoringFeature(
  deps: AnchoringDeps & { cron: string | undefined },
  lifecycle: Lifecycle,
) {
  const service = createAnchoringService(deps)
  lifecycle.add({
    name: 'chain/anchoring',
    routes: (app) => anchoringRoutes(app, service),
    schedules: anchoringSchedules(service, deps.cron),
    hooks: { agentErased: service.erase, orgErased: service.eraseOrg },
    tables: {
      anchor: erasedWithOrg(),
      anchor_leaf: erasedWithAgent(),
      anchor_org: erasedWithOrg(),
      anchor_reach: erasedWithAgent(),
    },
  })
  return { service }
}
