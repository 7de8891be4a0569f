import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { COMPUTE_JOB } from './ledger-service.ts'
import { BATCH_JOB, type BatchJob } from './run-service.ts'
import type { TeamReputationService } from './service.ts'

/** 03 §7.2. */
const EVERY_SIX_HOURS = '0 */6 * * *'

export function teamReputationSchedules(reputation: TeamReputationService): readonly Schedule[] {
  return [{ name: 'team reputation', cron: EVERY_SIX_HOURS, run: () => reputation.startRun() }]
}

export function handleTeamReputationJobs(jobs: Jobs, reputation: TeamReputationService): void {
  // Payloads are written by this feature alone.
  jobs.handle(BATCH_JOB, (payload) => reputation.runBatch(payload as BatchJob))
  jobs.handle(COMPUTE_JOB, (payload) => {
    return reputation.computeDue((payload as { team_id: string }).team_id)
  })
}
