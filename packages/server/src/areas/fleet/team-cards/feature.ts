import type { Server } from '../../../http/server.ts'
import { teamCardRoutes } from './routes.ts'
import { createTeamCardService, type TeamCardDeps } from './service.ts'

export function createTeamCardFeature(deps: TeamCardDeps) {
  const service = createTeamCardService(deps)
  return { service, mount: (app: Server) => teamCardRoutes(app, service) }
}
