import type { Schedule } from '../../../kernel/lifecycle.ts'
import type { TransactionService } from './service.ts'

/** spec: governance §3.3: hourly. Not at minute 0, when scores are computed. */
const HOURLY = '30 * * * *'

export function transactionSchedules(transactions: TransactionService): readonly Schedule[] {
  const run = async () => void (await transactions.purge())
  return [{ name: 'transactions', cron: HOURLY, run }]
}
