import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { handleScoreJobs, scoreSchedules } from './jobs.ts'
import { badgeRoutes, scoreActionRoutes, scoreRoutes, simulationRoutes } from './routes.ts'
import type { RunDeps } from './run-service.ts'
import type { Publisher } from './schema.ts'
import { createScoreService } from './service.ts'

export type ScoreDeps = RunDeps &
  Publisher & {
    /** The text of the left half of a badge. */
    badgeLabel: string
  }

export function createScoreFeature(deps: ScoreDeps, lifecycle: Lifecycle) {
  const service = createScoreService(deps)
  handleScoreJobs(deps.jobs, service)
  lifecycle.add({
    name: 'reputation/scores',
    routes(app) {
      scoreRoutes(app, service, deps)
      scoreActionRoutes(app, service, deps.clock)
      simulationRoutes(app, service)
      badgeRoutes(app, service, deps.badgeLabel)
    },
    schedules: scoreSchedules(service),
    hooks: { agentsChanged: service.changed, agentErased: service.erase },
    purges: [
      { name: 'score adjustments', run: service.purgeAdjustments },
      { name: 'past scores', run: service.purgePast },
      { name: 'score log', run: service.purgeLog },
    ],
    tables: {
      score: erasedWithAgent({ exported: 'evidence bundle' }),
      score_log: erasedWithAgent({ purged: '31 days and the entry before' }),
      score_snapshot: erasedWithAgent({ exported: 'compliance export' }),
      score_adjustment: erasedWithAgent({
        exported: 'evidence bundle',
        purged: 'after it has expired',
      }),
      score_past: erasedWithAgent({ purged: '7 days' }),
    },
  })
  return { service }
}
