import { type Clock, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import type { AuditService } from './service.ts'

const NEXT_STEP = 'chain_audit.step'

/** A step occupies a worker and cannot be interrupted. */
const STEP_MS = 2 * SECOND_MS
/** Three times the interval between runs, so under load up to three runs share the work. */
const RUN_MS_MAX = 15 * MINUTE_MS

const EVERY_FIVE_MINUTES = '*/5 * * * *'

export function auditSchedules(run: () => Promise<void>): readonly Schedule[] {
  return [{ name: 'chain audit', cron: EVERY_FIVE_MINUTES, run }]
}

/** A scheduled run, which continues in job steps until no chain is due. */
export function createAuditRun(deps: {
  db: Db
  clock: Clock
  jobs: Jobs
  service: AuditService
}): () => Promise<void> {
  const { db, clock, jobs, service } = deps
  const step = async (runEndsAt: Date): Promise<void> => {
    const more = await service.auditDue(later(clock.now(), STEP_MS))
    if (!more || clock.now() >= runEndsAt) return
    await transact(db, (tx) => jobs.enqueue(tx, NEXT_STEP, { run_ends_at: runEndsAt }))
  }
  jobs.handle(NEXT_STEP, (payload) => step(runEndsAtOf(payload)))
  return async () => {
    await service.enrol()
    await step(later(clock.now(), RUN_MS_MAX))
  }
}

function runEndsAtOf(payload: unknown): Date {
  if (typeof payload === 'object' && payload !== null && 'run_ends_at' in payload) {
    const endsAt = new Date(String(payload.run_ends_at))
    if (!Number.isNaN(endsAt.getTime())) return endsAt
  }
  throw new Error('chain_audit.step: run_ends_at must be a date')
}
