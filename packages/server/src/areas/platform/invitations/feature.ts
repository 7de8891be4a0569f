import { erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { invitationRoutes } from './routes.ts'
import { createInvitationService, type InvitationDeps } from './service.ts'

export function createInvitationFeature(deps: InvitationDeps, lifecycle: Lifecycle) {
  const service = createInvitationService(deps)
  lifecycle.add({
    name: 'platform/invitations',
    routes: (app) => invitationRoutes(app, service),
    hooks: { orgClosed: service.close, orgErased: service.erase },
    purges: [{ name: 'invitations', run: service.purge }],
    tables: {
      invitation: erasedWithOrg({ purged: '90 days after its end' }),
    },
  })
  return { service }
}
