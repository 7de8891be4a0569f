import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedules } from '../../../kernel/schedules.ts'
import { BATCH_JOB, type BatchJob } from './run-service.ts'
import { FIRST_JOB, type ScoreService } from './service.ts'

/** 01 §7.2: at minute 0; a run missed while the service was down is made once at start. */
const HOURLY = '0 * * * *'

export function scoreJobs(deps: { jobs: Jobs; schedules: Schedules }, scores: ScoreService): void {
  deps.schedules.add('scores', HOURLY, (firedAt) => scores.startRun(firedAt))
  // Payloads are written by this feature alone.
  deps.jobs.handle(BATCH_JOB, (payload) => scores.runBatch(payload as BatchJob))
  deps.jobs.handle(FIRST_JOB, (payload) => {
    return scores.computeFirst((payload as { agent_id: string }).agent_id)
  })
}
