import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { BATCH_JOB, type BatchJob } from './run-service.ts'
import { FIRST_JOB, type ScoreService } from './service.ts'

/** 01 §7.2: at minute 0; a run missed while the service was down is made once at start. */
const HOURLY = '0 * * * *'

export function scoreSchedules(scores: ScoreService): readonly Schedule[] {
  return [{ name: 'scores', cron: HOURLY, run: (firedAt) => scores.startRun(firedAt) }]
}

export function handleScoreJobs(jobs: Jobs, scores: ScoreService): void {
  // Payloads are written by this feature alone.
  jobs.handle(BATCH_JOB, (payload) => scores.runBatch(payload as BatchJob))
  jobs.handle(FIRST_JOB, (payload) => {
    return scores.computeFirst((payload as { agent_id: string }).agent_id)
  })
}
