import { goesWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { ledgerRoutes } from './routes.ts'
import { createLedgerService, type LedgerDeps } from './service.ts'

export function createLedgerFeature(deps: LedgerDeps, lifecycle: Lifecycle) {
  const service = createLedgerService(deps)
  lifecycle.add({
    name: 'evidence/ledger',
    routes: (app) => ledgerRoutes(app, service),
    hooks: {
      agentRegistered: service.begin,
      agentsArchived: service.close,
      agentsRestored: service.reopen,
      agentErased: service.erase,
    },
    tables: {
      chain_head: goesWithAgent({ exported: 'evidence bundle' }),
      checkpoint: goesWithAgent({ exported: 'evidence bundle' }),
      checkpoint_owner: goesWithAgent({ exported: 'evidence bundle' }),
      checkpoint_session: goesWithAgent(),
      checkpoint_reclassification: goesWithAgent({ exported: 'compliance export' }),
    },
  })
  return { service }
}
