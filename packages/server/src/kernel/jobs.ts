import { sql } from 'kysely'
import { type Clock, DAY_MS, later, MINUTE_MS, SECOND_MS } from './clock.ts'
import type { Db } from './db.ts'
import type { Notices } from './notices.ts'

/** How often a failed job is retried, and after which back-off. */
export type RetryPlan = { attemptsMax: number; delayMs(attempt: number): number }

/** Ten attempts, backing off from 2 s, doubled up to 10 minutes. */
const RETRY_USUAL: RetryPlan = {
  attemptsMax: 10,
  delayMs: (attempt) => Math.min(2 ** attempt * SECOND_MS, 10 * MINUTE_MS),
}

export type JobHandler = (payload: unknown) => Promise<void>

export type Jobs = {
  /** In the causing transaction: after commit the job runs at least once, after rollback never. */
  enqueue(tx: Db, kind: string, payload: unknown, runAt?: Date): Promise<void>
  handle(kind: string, handler: JobHandler, retry?: RetryPlan): void
  /** Runs one batch of due jobs and returns how many ran. */
  runDue(): Promise<number>
  start(): void
  stop(): Promise<void>
  /** Deletes dead-lettered jobs after 30 days; until then an operator can inspect them. */
  purge(now: Date): Promise<number>
}

type JobTables = {
  job: {
    id: number
    kind: string
    payload: unknown
    run_at: Date
    attempts: number
    locked_until: Date | null
    locked_by: string | null
    state: string
    last_error: string | null
  }
}

type Claimed = { id: number; kind: string; payload: unknown; attempts: number }

const LEASE_MS = 60 * SECOND_MS
const POLL_MS = SECOND_MS
const DEAD_KEPT_MS = 30 * DAY_MS
const AT_ONCE_MAX = 8

export type JobsDeps = {
  db: Db
  clock: Clock
  notices: Notices
  /** Identifies this process in the lease, for operators who read the table. */
  node: string
  /** Prefix of every job kind: instances with different prefixes do not run each other's jobs. */
  prefix?: string
  onError(err: unknown, kind: string): void
  onDone?(kind: string, durationMs: number): void
}

/** A durable queue: a claim is a lease, so jobs of a dead worker are taken over by the others. */
export function createJobs(deps: JobsDeps): Jobs {
  const handlers = new Map<string, { handler: JobHandler; retry: RetryPlan }>()
  const table = createJobTable(deps.db, deps.node)
  const { prefix = '' } = deps
  const now = () => deps.clock.now()

  const run = async (job: Claimed): Promise<void> => {
    const entry = handlers.get(job.kind)
    if (entry === undefined) return
    if (job.attempts > entry.retry.attemptsMax) {
      // Every attempt ended with its worker: the job itself crashes the process.
      await table.fail(job, entry.retry, {
        err: 'dead-lettered: no worker survived it',
        now: now(),
      })
      return
    }
    const renew = () => table.renew(job.id, now()).catch((err) => deps.onError(err, job.kind))
    const renewal = setInterval(() => void renew(), LEASE_MS / 3)
    const startedAt = performance.now()
    try {
      await entry.handler(job.payload)
      await table.remove(job.id)
      deps.onDone?.(job.kind, performance.now() - startedAt)
    } catch (err) {
      deps.onError(err, job.kind)
      await table.fail(job, entry.retry, { err, now: now() })
    } finally {
      clearInterval(renewal)
    }
  }

  const claim = async (countMax: number): Promise<Claimed[]> =>
    handlers.size === 0 ? [] : table.claim([...handlers.keys()], now(), countMax)

  const running = new Set<Promise<void>>()

  /** Fills the free slots; a slow job occupies only its own. */
  const begin = async (): Promise<number> => {
    if (running.size === AT_ONCE_MAX) return 0
    const claimed = await claim(AT_ONCE_MAX - running.size)
    for (const job of claimed) {
      const work = run(job)
        .catch((err: unknown) => deps.onError(err, job.kind))
        .finally(() => {
          running.delete(work)
          loop.wake()
        })
      running.add(work)
    }
    return claimed.length
  }

  const loop = createLoop({
    intervalMs: POLL_MS,
    step: begin,
    onError: (e) => deps.onError(e, ''),
  })
  deps.notices.on('jobs', () => loop.wake())

  return {
    async enqueue(tx, kind, payload, runAt) {
      await sql`insert into job (kind, payload, run_at, created_at)
        values (${prefix + kind}, ${JSON.stringify(payload)}, ${runAt ?? now()}, ${now()})`.execute(
        tx,
      )
      if (runAt === undefined) await deps.notices.publish(tx, 'jobs', kind)
    },
    handle: (kind, handler, retry = RETRY_USUAL) =>
      void handlers.set(prefix + kind, { handler, retry }),
    async runDue() {
      const claimed = await claim(AT_ONCE_MAX)
      await Promise.all(claimed.map(run))
      return claimed.length
    },
    start: loop.start,
    async stop() {
      await loop.stop()
      await Promise.all(running)
    },
    purge: table.purge,
  }
}

function createJobTable(db: Db, node: string) {
  const q = db.withTables<JobTables>()
  return {
    async claim(kinds: readonly string[], now: Date, countMax: number): Promise<Claimed[]> {
      const rows = await sql<Claimed>`
        update job set locked_until = ${later(now, LEASE_MS)}, locked_by = ${node},
          attempts = attempts + 1
        where id in (
          select id from job
          where state = 'queued' and run_at <= ${now}
            and (locked_until is null or locked_until < ${now}) and kind = any(${kinds})
          order by run_at, id limit ${countMax} for update skip locked)
        returning id, kind, payload, attempts`.execute(q)
      return rows.rows
    },

    async renew(id: number, now: Date): Promise<void> {
      await q
        .updateTable('job')
        .set({ locked_until: later(now, LEASE_MS) })
        .where('id', '=', id)
        .where('locked_by', '=', node)
        .execute()
    },

    /** Only under our own lease: an expired one may belong to another worker by now. */
    async remove(id: number): Promise<void> {
      await q.deleteFrom('job').where('id', '=', id).where('locked_by', '=', node).execute()
    },

    async fail(job: Claimed, retry: RetryPlan, how: { err: unknown; now: Date }): Promise<void> {
      const { err, now } = how
      await q
        .updateTable('job')
        .set({
          state: job.attempts >= retry.attemptsMax ? 'dead' : 'queued',
          run_at: later(now, retry.delayMs(job.attempts)),
          locked_until: null,
          locked_by: null,
          last_error: String(err instanceof Error ? err.message : err).slice(0, 500),
        })
        .where('id', '=', job.id)
        .where('locked_by', '=', node)
        .execute()
    },

    async purge(now: Date): Promise<number> {
      const gone = await q
        .deleteFrom('job')
        .where('state', '=', 'dead')
        .where('run_at', '<', later(now, -DEAD_KEPT_MS))
        .executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  }
}

export type Loop = { start(): void; stop(): Promise<void>; wake(): void }

/** Repeats a step: immediately while it finds work or is woken, otherwise after the interval. */
export function createLoop(options: {
  intervalMs: number
  step(): Promise<number>
  onError(err: unknown): void
}): Loop {
  let running: Promise<void> | undefined
  let stopping = false
  let woken = false
  let interrupt: (() => void) | undefined

  const pause = async () => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.intervalMs)
      interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    interrupt = undefined
  }

  const repeat = async (): Promise<void> => {
    while (!stopping) {
      woken = false
      const found = await options.step().catch((err: unknown) => {
        options.onError(err)
        return 0
      })
      if (found === 0 && !woken && !stopping) await pause()
    }
  }

  return {
    start() {
      running ??= repeat()
    },
    wake() {
      woken = true
      interrupt?.()
    },
    async stop() {
      stopping = true
      interrupt?.()
      await running
    },
  }
}
