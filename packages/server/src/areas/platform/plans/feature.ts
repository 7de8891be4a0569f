import { erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { planSchedules } from './jobs.ts'
import { planAdminRoutes, planRoutes } from './routes.ts'
import { createPlanService, type PlanDeps } from './service.ts'

export function createPlanFeature(deps: PlanDeps, lifecycle: Lifecycle) {
  const service = createPlanService(deps)
  lifecycle.add({
    name: 'platform/plans',
    routes(app) {
      planRoutes(app, service)
      planAdminRoutes(app, service)
    },
    schedules: planSchedules(service, deps.clock),
    hooks: { orgErased: service.erase },
    purges: [{ name: 'usage', run: service.purge }],
    tables: {
      subscription: erasedWithOrg(),
      usage_delta: erasedWithOrg({ purged: 'summed every minute' }),
      usage_daily: erasedWithOrg({ purged: '25 months' }),
      quota_notice: erasedWithOrg({ purged: '25 months' }),
    },
  })
  return { service }
}
