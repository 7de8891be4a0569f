import { goesWithAgent, goesWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { createRosterService } from './roster-service.ts'
import { rosterRoutes, teamRoutes } from './routes.ts'
import { createTeamService, type TeamDeps } from './service.ts'

export function createTeamFeature(deps: Omit<TeamDeps, 'owned'>, lifecycle: Lifecycle) {
  const owned: TeamDeps['owned'] = {
    rosterChanged: (tx, teamId) => lifecycle.run('teamRosterChanged', tx, teamId),
    erase: (tx, teamId) => lifecycle.run('teamErased', tx, teamId),
  }
  const service = createTeamService({ ...deps, owned })
  const roster = createRosterService({ ...deps, owned })
  lifecycle.add({
    name: 'fleet/teams',
    routes(app) {
      teamRoutes(app, service)
      rosterRoutes(app, service, roster)
    },
    hooks: {
      agentRetired: roster.retire,
      agentErased: roster.erase,
      // After the agents, as whoever makes or changes a team locks these first.
      orgClosed: { run: roster.closeOrg, after: ['evidence/agents'] },
      orgReopened: { run: roster.reopenOrg, after: ['evidence/agents'] },
      // Before the agents, who else would leave their teams one by one.
      orgErased: { run: roster.eraseOrg, before: ['evidence/agents'] },
    },
    tables: {
      team: goesWithOrg(),
      team_member: goesWithAgent(),
      team_roster_change: goesWithAgent(),
    },
  })
  return { service }
}
