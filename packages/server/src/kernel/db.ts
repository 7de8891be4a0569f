import { setTimeout as sleep } from 'node:timers/promises'
import {
  Kysely,
  type KyselyConfig,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import pg from 'pg'

/**
 * A connection or a transaction, with no tables. A store names the tables it owns with
 * `db.withTables<OwnTables>()`, so one handle serves every feature and each sees only its own tables.
 */
export type Db = Kysely<Record<never, never>>

// int8 counters stay far below 2^53; as strings they would leak into JSON.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Enough for every fixed statement in the code; statements of varying shape stay unnamed. */
const STATEMENT_NAMES_MAX = 1000
const QUERY_MS_MAX = 30_000
const CONNECT_MS_MAX = 5000
/** At start the database may be recovering from a crash, and nobody waits for an answer. */
const START_CONNECT_MS_MAX = 60_000

export type DatabaseOptions = {
  connectionString: string
  connectionsMax: number
  /** Off behind poolers that cannot keep prepared statements per client. */
  preparedStatements: boolean
  /** How long a caller waits for a connection. */
  connectMsMax?: number | undefined
  /** Callers wait longer until `endStart` is called. */
  isStarting?: boolean
  onError(err: unknown): void
}

export type Database = {
  db: Db
  pool: pg.Pool
  connectionString: string
  /** From now on callers wait for a connection as long as usual. */
  endStart(): void
  close(): Promise<void>
}

export function createDatabase(options: DatabaseOptions): Database {
  const connectMsMax = options.connectMsMax ?? CONNECT_MS_MAX
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.isStarting ? START_CONNECT_MS_MAX : connectMsMax,
    // A server that accepts connections but does not answer must not block requests forever.
    query_timeout: QUERY_MS_MAX,
    idleTimeoutMillis: 30_000,
  })
  let isClosing = false
  // A server that stops while the pool closes ends its last connections with an error.
  const onError = (err: unknown): void => {
    if (!isClosing) options.onError(err)
  }
  // Without a listener a lost idle connection would end the process.
  pool.on('error', onError)
  // The same for a connection lost while a caller holds it between two statements.
  pool.on('connect', (client) => void client.on('error', onError))
  const dialect = new PostgresDialect({
    pool: options.preparedStatements ? namedStatements(pool) : pool,
  })
  const config: KyselyConfig = { dialect }
  return {
    db: new Kysely<Record<never, never>>(config),
    pool,
    connectionString: options.connectionString,
    endStart() {
      // The pool reads the option each time somebody asks for a connection.
      pool.options.connectionTimeoutMillis = connectMsMax
    },
    close() {
      isClosing = true
      return pool.end()
    },
  }
}

/** Names each distinct statement once, so that the server parses and plans it once per connection. */
function namedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= STATEMENT_NAMES_MAX) return known
    const name = `t${names.size + 1}`
    names.set(text, name)
    return name
  }
  const connect = async () => {
    const client = await pool.connect()
    const query = (text: string, values: readonly unknown[]): unknown => {
      const name = values.length === 0 ? undefined : nameOf(text)
      return client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) })
    }
    // The cast is safe: Kysely's type also covers cursors, which no store uses.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: () => client.release(),
    }
  }
  return { connect, end: () => pool.end() }
}

/** One page of a list; pages are numbered from 1. */
/** `offset` is given if the list is read from there on, which may be within a page. */
export type PageRequest = { page: number; perPage: number; offset?: number }

export type Page<T> = PageRequest & { items: T[]; total: number }

export function offsetOf(request: PageRequest): number {
  return request.offset ?? (request.page - 1) * request.perPage
}

const TRIES_MAX = 6
const RETRYABLE = new Set(['40001', '40P01'])

/** The SQLSTATE of a database error, or undefined for any other. */
export function sqlState(err: unknown): string | undefined {
  return err instanceof pg.DatabaseError ? err.code : undefined
}

const CONNECTION_LOST =
  /ECONN(REFUSED|RESET)|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|Connection terminated|not queryable|Query read timeout|timeout exceeded when trying to connect/

/** True if the database is unreachable or shutting down, false if it rejected a statement. */
export function isDatabaseDown(err: unknown): boolean {
  const state = sqlState(err)
  // 53300: too many connections.
  if (state !== undefined) return /^(08|57P|53300)/.test(state)
  return err instanceof Error && CONNECTION_LOST.test(`${err.message} ${codeOf(err)}`)
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
 * Runs the work in one transaction and retries it after a serialization failure or a deadlock. Given
 * a transaction, the work is a part of it, and whoever began that one retries.
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
