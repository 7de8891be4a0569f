import type { Server } from '../../../http/server.ts'
import { invitationRoutes } from './routes.ts'
import { createInvitationService, type InvitationDeps } from './service.ts'

export function createInvitationFeature(deps: InvitationDeps) {
  const service = createInvitationService(deps)
  return { service, mount: (app: Server) => invitationRoutes(app, service) }
}
