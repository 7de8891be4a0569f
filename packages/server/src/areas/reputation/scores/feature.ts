import type { Server } from '../../../http/server.ts'
import type { Schedules } from '../../../kernel/schedules.ts'
import { scoreJobs } from './jobs.ts'
import {
  badgeRoutes,
  hotReads,
  scoreActionRoutes,
  scoreRoutes,
  simulationRoutes,
} from './routes.ts'
import type { RunDeps } from './run-service.ts'
import type { Publisher } from './schema.ts'
import { createScoreService } from './service.ts'

export type ScoreDeps = RunDeps &
  Publisher & {
    schedules: Schedules
    /** What the left half of a badge says. */
    badgeLabel: string
  }

export function createScoreFeature(deps: ScoreDeps) {
  const service = createScoreService(deps)
  scoreJobs(deps, service)
  const mount = (app: Server) => {
    scoreRoutes(app, service, deps)
    scoreActionRoutes(app, service, deps.clock)
    simulationRoutes(app, service)
    badgeRoutes(app, service, deps.badgeLabel)
  }
  return { service, mount, findHot: hotReads(service) }
}
