import type { Schedules } from '../../../kernel/schedules.ts'
import type { TransactionService } from './service.ts'

/** 02 §3.3: hourly; not at minute 0, when the scores are computed. */
const HOURLY = '30 * * * *'

export function transactionJobs(schedules: Schedules, transactions: TransactionService): void {
  schedules.add('transactions', HOURLY, async () => void (await transactions.purge()))
}
