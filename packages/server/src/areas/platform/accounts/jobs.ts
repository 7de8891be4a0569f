import type { Jobs } from '../../../kernel/jobs.ts'
import { type AccountService, RESET_JOB } from './service.ts'

export function accountJobs(jobs: Jobs, accounts: AccountService): void {
  jobs.handle(RESET_JOB, (payload) => accounts.sendReset(emailOf(payload)))
}

function emailOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'email' in payload) {
    return String(payload.email)
  }
  throw new Error('a password reset without its address')
}
