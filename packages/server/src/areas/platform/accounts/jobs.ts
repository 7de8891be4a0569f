import { isJsonObject } from '@touchstone/protocol/base'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { type AccountService, RESET_JOB } from './service.ts'

export function accountJobs(jobs: Jobs, accounts: AccountService): void {
  jobs.handle(RESET_JOB, (payload) => accounts.sendReset(parseEmail(payload)))
}

function parseEmail(payload: unknown): string {
  if (isJsonObject(payload) && typeof payload['email'] === 'string') return payload['email']
  throw new Error(`${RESET_JOB}: the payload has no e-mail address`)
}
