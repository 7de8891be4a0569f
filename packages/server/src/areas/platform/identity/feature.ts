import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { createIdentityService, type IdentityDeps } from './service.ts'

/** Has no routes: people are reached through the accounts and organisations features. */
export function createIdentityFeature(deps: IdentityDeps, lifecycle: Lifecycle) {
  const service = createIdentityService(deps)
  lifecycle.add({
    name: 'platform/identity',
    // People go last: a person who joins is locked before the organisation, so the order matters.
    hooks: { orgErased: { run: service.eraseOrg, last: true } },
    purges: [{ name: 'people', run: service.purge }],
  })
  return { service }
}
