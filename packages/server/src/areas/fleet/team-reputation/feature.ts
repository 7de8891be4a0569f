import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { handleTeamReputationJobs, teamReputationSchedules } from './jobs.ts'
import { teamBadgeRoutes, teamReputationRoutes } from './routes.ts'
import type { Publisher } from './schema.ts'
import { createTeamReputationService, type TeamReputationDeps } from './service.ts'

type FeatureDeps = TeamReputationDeps &
  Publisher & {
    /** The text of the left half of an agent's badge. */
    badgeLabel: string
  }

export function createTeamReputationFeature(deps: FeatureDeps, lifecycle: Lifecycle) {
  const service = createTeamReputationService(deps)
  handleTeamReputationJobs(deps.jobs, service)
  lifecycle.add({
    name: 'fleet/team-reputation',
    routes(app) {
      teamReputationRoutes(app, service, deps)
      teamBadgeRoutes(app, service, deps.badgeLabel)
    },
    schedules: teamReputationSchedules(service),
    hooks: {
      agentErased: service.eraseAgent,
      teamRosterChanged: service.rosterChanged,
      teamErased: service.eraseTeam,
    },
    purges: [{ name: 'team score log', run: service.purgeLog }],
    tables: {
      team_score_member: erasedWithAgent(),
    },
  })
  return { service }
}
