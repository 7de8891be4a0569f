import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { teamCardRoutes } from './routes.ts'
import { createTeamCardService, type TeamCardDeps } from './service.ts'

export function createTeamCardFeature(deps: TeamCardDeps, lifecycle: Lifecycle) {
  const service = createTeamCardService(deps)
  lifecycle.add({
    name: 'fleet/team-cards',
    routes: (app) => teamCardRoutes(app, service),
    hooks: { teamErased: service.eraseTeam },
  })
  return { service }
}
