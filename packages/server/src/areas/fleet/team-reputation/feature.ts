import type { Server } from '../../../http/server.ts'
import type { Schedules } from '../../../kernel/schedules.ts'
import { teamReputationJobs } from './jobs.ts'
import { teamBadgeRoutes, teamReputationRoutes } from './routes.ts'
import type { Publisher } from './schema.ts'
import { createTeamReputationService, type TeamReputationDeps } from './service.ts'

type FeatureDeps = TeamReputationDeps &
  Publisher & {
    schedules: Schedules
    /** What the left half of an agent's badge says. */
    badgeLabel: string
  }

export function createTeamReputationFeature(deps: FeatureDeps) {
  const service = createTeamReputationService(deps)
  teamReputationJobs(deps, service)
  const mount = (app: Server) => {
    teamReputationRoutes(app, service, deps)
    teamBadgeRoutes(app, service, deps.badgeLabel)
  }
  return { service, mount }
}
