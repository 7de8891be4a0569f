import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedules } from '../../../kernel/schedules.ts'
import { COMPUTE_JOB } from './ledger-service.ts'
import { BATCH_JOB, type BatchJob } from './run-service.ts'
import type { TeamReputationService } from './service.ts'

/** 03 §7.2. */
const EVERY_SIX_HOURS = '0 */6 * * *'

export function teamReputationJobs(
  deps: { jobs: Jobs; schedules: Schedules },
  reputation: TeamReputationService,
): void {
  deps.schedules.add('team reputation', EVERY_SIX_HOURS, () => reputation.startRun())
  // Payloads are written by this feature alone.
  deps.jobs.handle(BATCH_JOB, (payload) => reputation.runBatch(payload as BatchJob))
  deps.jobs.handle(COMPUTE_JOB, (payload) => {
    return reputation.computeDue((payload as { team_id: string }).team_id)
  })
}
