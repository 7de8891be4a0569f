import { sql } from 'kysely'
import { type Db, sqlState } from '../kernel/db.ts'
import { NoPrimary } from './primary.ts'

/** Whether the database answers, and whether it can store anything. */
export type DatabaseHealth = { status: 'ok' } | { status: 'read_only' | 'down'; reason: string }

/** A probe that takes longer counts as unanswered. */
const PROBE_MS_MAX = 2000
/** A full disk shows only in writes that fail, so the last of them counts for this long. */
const DISK_FULL_MS = 10_000
const DISK_FULL = '53100'

/** Watches the errors of statements, and asks the database if somebody wants to know. */
export function createHealthWatch() {
  let probing: Promise<DatabaseHealth> | undefined
  let diskFullAtMs = Number.NEGATIVE_INFINITY

  const isDiskFull = () => performance.now() - diskFullAtMs < DISK_FULL_MS

  return {
    note(err: unknown): void {
      if (sqlState(err) === DISK_FULL) diskFullAtMs = performance.now()
    },

    async check(db: Db): Promise<DatabaseHealth> {
      // Shared, because anybody can ask.
      probing ??= probe(db).finally(() => {
        probing = undefined
      })
      const health = await probing
      if (health.status !== 'ok' || !isDiskFull()) return health
      return { status: 'read_only', reason: 'The disk of the database is full.' }
    },
  }
}

async function probe(db: Db): Promise<DatabaseHealth> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<DatabaseHealth>((resolve) => {
    const down = { status: 'down', reason: 'The database does not respond.' } as const
    timer = setTimeout(resolve, PROBE_MS_MAX, down)
  })
  const health = await Promise.race([ask(db), late])
  clearTimeout(timer)
  return health
}

async function ask(db: Db): Promise<DatabaseHealth> {
  try {
    const { rows } = await sql<{ readonly: boolean }>`
      select current_setting('transaction_read_only')::boolean as readonly`.execute(db)
    if (rows[0]?.readonly !== true) return { status: 'ok' }
    return { status: 'read_only', reason: 'The database is read-only.' }
  } catch (err) {
    // Its message may name hosts, which are nobody's business.
    const reason = err instanceof NoPrimary ? NO_PRIMARY : UNREACHABLE
    return { status: 'down', reason }
  }
}

const NO_PRIMARY = 'No database server accepts writes.'
const UNREACHABLE = 'The database is not reachable.'
