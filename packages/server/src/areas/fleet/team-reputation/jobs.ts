import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { COMPUTE_JOB } from './ledger-service.ts'
import { BATCH_JOB, type BatchJob } from './run-service.ts'
import type { TeamReputationService } from './service.ts'

/** Schedule of the run over all teams (spec: fleet §4.2). */
const EVERY_SIX_HOURS = '0 */6 * * *'

export function teamReputationSchedules(reputation: TeamReputationService): readonly Schedule[] {
  return [{ name: 'team reputation', cron: EVERY_SIX_HOURS, run: () => reputation.startRun() }]
}

export function handleTeamReputationJobs(jobs: Jobs, reputation: TeamReputationService): void {
  jobs.handle(BATCH_JOB, (payload) => reputation.runBatch(parseBatchJob(payload)))
  jobs.handle(COMPUTE_JOB, (payload) => reputation.computeDue(parseTeamId(payload)))
}

function parseBatchJob(payload: unknown): BatchJob {
  if (typeof payload === 'object' && payload !== null && 'after' in payload) {
    return { after: String(payload.after) }
  }
  throw new Error(`${BATCH_JOB}: payload must have after`)
}

function parseTeamId(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'team_id' in payload) {
    return String(payload.team_id)
  }
  throw new Error(`${COMPUTE_JOB}: payload must have team_id`)
}
