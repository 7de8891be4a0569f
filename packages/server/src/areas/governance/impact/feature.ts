import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { createLearnService, type LearnDeps } from './learn-service.ts'
import { impactRoutes, learnRoutes } from './routes.ts'
import { createImpactService, type ImpactDeps } from './service.ts'

export function createImpactFeature(
  { learning, ...deps }: ImpactDeps & { learning: Omit<LearnDeps, 'clock'> },
  lifecycle: Lifecycle,
) {
  const service = createImpactService(deps)
  const learner = createLearnService({ ...learning, clock: deps.clock }, service)
  lifecycle.add({
    name: 'governance/impact',
    routes(app) {
      impactRoutes(app, service)
      learnRoutes(app, learner)
    },
  })
  return { service }
}
