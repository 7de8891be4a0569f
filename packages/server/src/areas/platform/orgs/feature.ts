import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { memberRoutes, orgAdminRoutes, orgRoutes } from './routes.ts'
import { createOrgService, type OrgDeps } from './service.ts'

const ITSELF = {
  erased: 'after orgErased, which this feature runs',
  exported: 'backup only',
  purged: 'with its organisation',
}

export function createOrgFeature(deps: Omit<OrgDeps, 'owned'>, lifecycle: Lifecycle) {
  const owned: OrgDeps['owned'] = {
    close: (tx, orgId, actor) => lifecycle.run('orgClosed', tx, orgId, actor),
    reopen: (tx, orgId) => lifecycle.run('orgReopened', tx, orgId),
    erase: (tx, orgId) => lifecycle.run('orgErased', tx, orgId),
  }
  const service = createOrgService({ ...deps, owned })
  lifecycle.add({
    name: 'platform/orgs',
    routes(app) {
      orgRoutes(app, service)
      memberRoutes(app, service)
      orgAdminRoutes(app, service)
    },
    purges: [{ name: 'organisations', run: service.purge }],
    tables: { org: ITSELF, org_member: ITSELF },
  })
  return { service }
}
