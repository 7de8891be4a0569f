import { erasedWithAgent, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { createRosterService } from './roster-service.ts'
import { rosterRoutes, teamRoutes } from './routes.ts'
import { createTeamService, type TeamDeps } from './service.ts'

export function createTeamFeature(deps: Omit<TeamDeps, 'dependents'>, lifecycle: Lifecycle) {
  const dependents: TeamDeps['dependents'] = {
    rosterChanged: (tx, teamId) => lifecycle.run('teamRosterChanged', tx, teamId),
    erase: (tx, teamId) => lifecycle.run('teamErased', tx, teamId),
  }
  const service = createTeamService({ ...deps, dependents })
  const roster = createRosterService({ ...deps, dependents })
  lifecycle.add({
    name: 'fleet/teams',
    routes(app) {
      teamRoutes(app, service)
      rosterRoutes(app, service, roster)
    },
    hooks: {
      agentRetired: roster.retire,
      agentErased: roster.erase,
      // After the agents: creating or changing a team locks agents first, and so avoids deadlocks.
      orgClosed: { run: roster.closeOrg, after: ['evidence/agents'] },
      orgReopened: { run: roster.reopenOrg, after: ['evidence/agents'] },
      // Before the agents, which would otherwise leave their teams one by one.
      orgErased: { run: roster.eraseOrg, before: ['evidence/agents'] },
    },
    tables: {
      team: erasedWithOrg(),
      team_member: erasedWithAgent(),
      team_roster_change: erasedWithAgent(),
    },
  })
  return { service }
}
