import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { type AccountService, RESET_JOB } from './service.ts'

const MONTHLY = '0 4 1 * *'

export function accountSchedules(accounts: AccountService): readonly Schedule[] {
  const run = async () => void (await accounts.rotate(SYSTEM_ACTOR))
  return [{ name: 'signing key', cron: MONTHLY, run }]
}

export function handleAccountJobs(jobs: Jobs, accounts: AccountService): void {
  jobs.handle(RESET_JOB, (payload) => accounts.sendReset(emailOf(payload)))
}

function emailOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'email' in payload) {
    return String(payload.email)
  }
  throw new Error('a password reset without its address')
}
