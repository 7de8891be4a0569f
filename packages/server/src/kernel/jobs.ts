import { sql } from 'kysely'
import { type Clock, DAY_MS, later, MINUTE_MS, SECOND_MS } from './clock.ts'
import type { Db } from './db.ts'
import type { Notices } from './notices.ts'

/** How often and how long a job is tried again. */
export type RetryPlan = { attemptsMax: number; delayMs(attempt: number): number }

/** Ten tries, doubling from 2 s, at most 10 minutes apart. */
const RETRY_USUAL: RetryPlan = {
  attemptsMax: 10,
  delayMs: (attempt) => Math.min(2 ** attempt * SECOND_MS, 10 * MINUTE_MS),
}

export type JobHandler = (payload: unknown) => Promise<void>

export type Jobs = {
  /** In the causing transaction: committed, the job runs at least once; rolled back, never. */
  enqueue(tx: Db, kind: string, payload: unknown, runAt?: Date): Promise<void>
  handle(kind: string, handler: JobHandler, retry?: RetryPlan): void
  /** Runs what is due now, some at a time, and returns how many ran. */
  runDue(): Promise<number>
  start(): void
  stop(): Promise<void>
  /** Forgets jobs that were given up long ago; until then they are there to be looked at. */
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
  /** Names this process in the lease, for the operator who reads the table. */
  node: string
  /** Before the kind of every job: others neither run these nor are theirs run here. */
  prefix?: string
  onError(err: unknown, kind: string): void
  onDone?(kind: string, durationMs: number): void
}

/** Durable work: a claim is a lease, so a dead worker's jobs are taken over by the living. */
export function createJobs(deps: JobsDeps): Jobs {
  const handlers = new Map<string, { handler: JobHandler; retry: RetryPlan }>()
  const table = createJobTable(deps.db, deps.node)
  const { prefix = '' } = deps
  const now = () => deps.clock.now()

  const run = async (job: Claimed): Promise<void> => {
    const entry = handlers.get(job.kind)
    if (entry === undefined) return
    if (job.attempts > entry.retry.attemptsMax) {
      // It never came to an end before: whatever it does ends the worker that tries.
      await table.fail(job, entry.retry, { err: 'given up: no worker survived it', now: now() })
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

  /** As many as there are places; a slow one keeps its own place and holds nobody else up. */
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

    /** Only while it is still ours: a lease that ran out belongs to another worker. */
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

/** Repeats a step: at once while it finds work or is woken, else after the interval. */
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
