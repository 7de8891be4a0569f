import type { Server } from '../../../http/server.ts'
import { createRosterService } from './roster-service.ts'
import { rosterRoutes, teamRoutes } from './routes.ts'
import { createTeamService, type TeamDeps } from './service.ts'

export function createTeamFeature(deps: TeamDeps) {
  const service = createTeamService(deps)
  const roster = createRosterService(deps)
  const mount = (app: Server) => {
    teamRoutes(app, service)
    rosterRoutes(app, service, roster)
  }
  return { service, roster, mount }
}
