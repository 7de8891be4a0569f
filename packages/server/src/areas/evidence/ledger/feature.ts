import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
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
      chain_head: erasedWithAgent({ exported: 'evidence bundle' }),
      checkpoint: erasedWithAgent({ exported: 'evidence bundle' }),
      agent_novelty: erasedWithAgent(),
      checkpoint_owner: erasedWithAgent({ exported: 'evidence bundle' }),
      checkpoint_decision: erasedWithAgent({ exported: 'evidence bundle' }),
      assurance_day: erasedWithAgent(),
      checkpoint_session: erasedWithAgent(),
      checkpoint_violation_day: erasedWithAgent(),
      checkpoint_reclassification: erasedWithAgent({ exported: 'compliance export' }),
    },
  })
  return { service }
}
