import { isJsonObject } from '@touchstone/protocol/base'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { RESET_JOB } from './password-change-service.ts'
import type { AccountService } from './service.ts'

/** A session signing key lives for a month. */
const MONTHLY = '0 4 1 * *'

export function accountSchedules(accounts: AccountService): readonly Schedule[] {
  const run = async () => void (await accounts.rotate(SYSTEM_ACTOR))
  return [{ name: 'signing key', cron: MONTHLY, run }]
}

export function handleAccountJobs(jobs: Jobs, accounts: AccountService): void {
  jobs.handle(RESET_JOB, (payload) => accounts.sendReset(parseEmail(payload)))
}

function parseEmail(payload: unknown): string {
  if (isJsonObject(payload) && typeof payload['email'] === 'string') return payload['email']
  throw new Error(`${RESET_JOB}: the payload has no e-mail address`)
}
