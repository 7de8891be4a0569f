import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { NoPrimary } from '../database/primary.ts'

/**
 * A connection or a transaction, with no tables. A store names the tables it owns with
 * `db.withTables<OwnTables>()`, so one handle serves every feature and each sees only its own tables.
 */
export type Db = Kysely<Record<never, never>>

// int8 counters stay far below 2^53; as strings they would leak into JSON.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Pages are numbered from 1. `offset` is given if the list is read from there on, which may be within a
 * page.
 */
export type PageRequest = { page: number; perPage: number; offset?: number }

export type Page<T> = PageRequest & { items: T[]; total: number }

export function offsetOf(request: PageRequest): number {
  return request.offset ?? (request.page - 1) * request.perPage
}

const TRIES_MAX = 6
/** Serialization failure, deadlock, and a transaction that the server ended because it was idle. */
const RETRYABLE = new Set(['40001', '40P01', '25P03'])

/** The SQLSTATE of a database error, or undefined for any other. */
export function sqlState(err: unknown): string | undefined {
  return err instanceof pg.DatabaseError ? err.code : undefined
}

const CONNECTION_LOST =
  /ECONN(REFUSED|RESET)|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|Connection terminated|not queryable|Query read timeout|timeout exceeded when trying to connect/

/**
 * States of a server that cannot do its work, for whatever statement: lost or ended connections (08,
 * 57P), a transaction that was idle for too long (25P03), read-only (25006), and out of disk, memory or
 * connections (53).
 */
const SERVER_DOWN = /^(08|57P|53|25P03|25006)/

/** True if the database is unreachable or cannot write, false if it rejected a statement. */
export function isDatabaseDown(err: unknown): boolean {
  const state = sqlState(err)
  if (state !== undefined) return SERVER_DOWN.test(state)
  if (err instanceof NoPrimary) return true
  return err instanceof Error && CONNECTION_LOST.test(`${err.message} ${codeOf(err)}`)
}

/** True if the session must not be used again: its server went away or is a replica by now. */
export function endsSession(err: unknown): boolean {
  return isDatabaseDown(err) && !/^53/.test(sqlState(err) ?? '')
}

const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'

/** True if another transaction held a lock for longer than this one could wait. */
export function isLockTimeout(err: unknown): boolean {
  return sqlState(err) === LOCK_NOT_AVAILABLE
}

/** True if a statement took too long, or waited too long for a lock: it may succeed later. */
export function isTimeout(err: unknown): boolean {
  return isLockTimeout(err) || sqlState(err) === QUERY_CANCELED
}

function codeOf(err: Error): string {
  return 'code' in err ? String(err.code) : ''
}

/** True if a unique constraint, the named one if given, rejected the row. */
export function isUniqueViolation(err: unknown, constraint?: string): boolean {
  if (!(err instanceof pg.DatabaseError) || err.code !== '23505') return false
  return constraint === undefined || err.constraint === constraint
}

/**
 * Runs the work in one transaction and retries it after a serialization failure or a deadlock, or if
 * this process was too slow, as on a machine where much else starts. Given a transaction, the work is a
 * part of it, and whoever began that one retries.
 * INVARIANT: the work has no effect outside the transaction, so running it twice is safe.
 */
export async function transact<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (err) {
      if (attempt >= TRIES_MAX || !RETRYABLE.has(sqlState(err) ?? '')) throw err
      await sleep(2 ** attempt * 2)
    }
  }
}

/** Bounds one DELETE, which holds its locks until it ends and has a statement timeout. */
const PURGE_ROWS_MAX = 1000

/** Deletes page by page until a page is not full. */
export async function purgeInPages(
  deleteSome: (rowsMax: number) => Promise<number>,
  rowsMax = PURGE_ROWS_MAX,
): Promise<number> {
  let total = 0
  for (;;) {
    const gone = await deleteSome(rowsMax)
    total += gone
    if (gone < rowsMax) return total
  }
}

/** Owners whose rows one statement deletes. */
const PURGE_OWNERS_MAX = 100

/** Deletes rows of a page of owners at a time, in the order of their ids. */
export async function purgeByOwners(
  listAfter: (id: string, limit: number) => Promise<string[]>,
  deleteOf: (ids: readonly string[]) => Promise<number>,
): Promise<number> {
  let total = 0
  let after: string | undefined = ''
  while (after !== undefined) {
    const ids = await listAfter(after, PURGE_OWNERS_MAX)
    if (ids.length > 0) total += await deleteOf(ids)
    after = ids.length < PURGE_OWNERS_MAX ? undefined : ids.at(-1)
  }
  return total
}

/**
 * Erases each id in its own transaction and returns how many existed. One failure does not stop the
 * rest; failures are thrown together at the end.
 */
export async function purgeEach<Id extends string>(
  db: Db,
  ids: readonly Id[],
  erase: (tx: Db, id: Id) => Promise<boolean>,
): Promise<number> {
  const failures: unknown[] = []
  let erased = 0
  for (const id of ids) {
    try {
      if (await transact(db, (tx) => erase(tx, id))) erased += 1
    } catch (err) {
      failures.push(err)
    }
  }
  if (failures.length === 0) return erased
  throw new AggregateError(failures, `${failures.length} of ${ids.length} could not be erased`)
}

/**
 * Runs deletions of guarded rows as the purge role. Only retention and erasure call this; the tables'
 * triggers reject every other deletion.
 */
export async function asPurger<T>(tx: Db, work: () => Promise<T>): Promise<T> {
  await sql`set local role touchstone_purge`.execute(tx)
  const result = await work()
  await sql`reset role`.execute(tx)
  return result
}
