import type { Server } from '../../../http/server.ts'
import type { Schedules } from '../../../kernel/schedules.ts'
import { transactionJobs } from './jobs.ts'
import { transactionRoutes } from './routes.ts'
import { createTransactionService, type TransactionDeps } from './service.ts'

export function createTransactionFeature(deps: TransactionDeps & { schedules: Schedules }) {
  const service = createTransactionService(deps)
  transactionJobs(deps.schedules, service)
  return { service, mount: (app: Server) => transactionRoutes(app, service) }
}
