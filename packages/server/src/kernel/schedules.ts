import { Cron } from 'croner'
import { sql } from 'kysely'
import { type Clock, DAY_MS, later } from './clock.ts'
import { type Db, transact } from './db.ts'
import { createLoop, type Jobs } from './jobs.ts'

export type Schedules = {
  /** A cron pattern in UTC. Each fire time runs once over all nodes; a missed one is caught up. */
  add(name: string, pattern: string, handler: (firedAt: Date) => Promise<void>): void
  /** Enqueues the runs that are due; returns how many schedules fired on this node. */
  fireDue(): Promise<number>
  /** Deletes old fire times but the newest of each schedule, so that none is caught up twice. */
  purge(now: Date): Promise<number>
  start(): void
  stop(): Promise<void>
}

const TICK_MS = 1000
const KEPT_MS = 7 * DAY_MS

/** The unique (schedule, fire time) row decides which of several nodes enqueues the run. */
export function createSchedules(deps: {
  db: Db
  clock: Clock
  jobs: Jobs
  onError(err: unknown): void
}): Schedules {
  const crons = new Map<string, { cron: Cron; nextAt: number }>()

  const fire = async (name: string, firedAt: Date): Promise<boolean> =>
    transact(deps.db, async (tx) => {
      const known = await sql`select 1 from schedule_run where schedule = ${name} limit 1`.execute(
        tx,
      )
      const inserted = await sql`insert into schedule_run (schedule, fired_at)
        values (${name}, ${firedAt}) on conflict do nothing`.execute(tx)
      if (Number(inserted.numAffectedRows ?? 0) === 0) return false
      // A new schedule has missed nothing: it starts with its next fire time.
      if (known.rows.length === 0) return false
      await deps.jobs.enqueue(tx, jobKind(name), { fired_at: firedAt.toISOString() })
      return true
    })

  const fireDue = async (): Promise<number> => {
    const now = deps.clock.now()
    let fired = 0
    for (const [name, entry] of crons) {
      if (now.getTime() < entry.nextAt) continue
      const last = lastFireTime(entry.cron, now)
      if (last !== undefined && (await fire(name, last))) fired += 1
      entry.nextAt = entry.cron.nextRun(now)?.getTime() ?? Number.POSITIVE_INFINITY
    }
    return fired
  }

  const loop = createLoop({
    intervalMs: TICK_MS,
    // Returns 0, so that the loop polls once a second: enough for patterns in minutes.
    step: async () => (await fireDue()) * 0,
    onError: deps.onError,
  })

  return {
    add(name, pattern, handler) {
      crons.set(name, { cron: new Cron(pattern, { timezone: 'UTC', paused: true }), nextAt: 0 })
      deps.jobs.handle(jobKind(name), (payload) => handler(firedAtOf(payload)))
    },
    fireDue,
    async purge(now) {
      const gone = await sql`delete from schedule_run old where fired_at < ${later(now, -KEPT_MS)}
        and exists (select 1 from schedule_run newer
          where newer.schedule = old.schedule and newer.fired_at > old.fired_at)`.execute(deps.db)
      return Number(gone.numAffectedRows ?? 0)
    },
    start: loop.start,
    stop: loop.stop,
  }
}

function jobKind(schedule: string): string {
  return `schedule.${schedule}`
}

function lastFireTime(cron: Cron, now: Date): Date | undefined {
  // previousRuns looks strictly before its reference; a fire time equal to now counts as due.
  return cron.previousRuns(1, new Date(now.getTime() + 1000))[0]
}

function firedAtOf(payload: unknown): Date {
  const given = typeof payload === 'object' && payload !== null && 'fired_at' in payload
  const firedAt = new Date(given ? String(payload.fired_at) : Number.NaN)
  if (Number.isNaN(firedAt.getTime())) throw new Error('a scheduled job has no valid fire time')
  return firedAt
}
