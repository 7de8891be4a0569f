import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { transactionSchedules } from './jobs.ts'
import { transactionRoutes } from './routes.ts'
import { createTransactionService, type TransactionDeps } from './service.ts'

export function createTransactionFeature(deps: TransactionDeps, lifecycle: Lifecycle) {
  const service = createTransactionService(deps)
  lifecycle.add({
    name: 'governance/transactions',
    routes: (app) => transactionRoutes(app, service),
    schedules: transactionSchedules(service),
    hooks: { agentErased: service.erase },
    tables: {
      agent_transaction: erasedWithAgent({ purged: '7 days after it ends' }),
    },
  })
  return { service }
}
