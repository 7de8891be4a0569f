import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { BATCH_JOB, type BatchJob } from './run-service.ts'
import { FIRST_JOB, type ScoreService } from './service.ts'

/** At minute 0 (spec: reputation §2). A run missed during downtime is made up once at start. */
const HOURLY = '0 * * * *'

export function scoreSchedules(scores: ScoreService): readonly Schedule[] {
  return [{ name: 'scores', cron: HOURLY, run: (firedAt) => scores.startRun(firedAt) }]
}

export function handleScoreJobs(jobs: Jobs, scores: ScoreService): void {
  jobs.handle(BATCH_JOB, (payload) => scores.runBatch(parseBatchJob(payload)))
  jobs.handle(FIRST_JOB, (payload) => scores.computeFirst(parseAgentId(payload)))
}

function parseBatchJob(payload: unknown): BatchJob {
  if (
    typeof payload === 'object' &&
    payload !== null &&
    'run_at' in payload &&
    'first_agent' in payload &&
    'last_agent' in payload
  ) {
    return {
      run_at: String(payload.run_at),
      first_agent: String(payload.first_agent),
      last_agent: String(payload.last_agent),
    }
  }
  throw new Error(`${BATCH_JOB}: payload must have run_at, first_agent and last_agent`)
}

function parseAgentId(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'agent_id' in payload) {
    return String(payload.agent_id)
  }
  throw new Error(`${FIRST_JOB}: payload must have agent_id`)
}
