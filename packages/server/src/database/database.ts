import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { type Db, endsSession } from '../kernel/db.ts'
import { toError } from '../kernel/problem.ts'
import { createClientClass } from './client.ts'
import { createHealthWatch, type DatabaseHealth } from './health.ts'
import type { Primary } from './primary.ts'
import { createReplicas, isRead, type Replicas } from './replicas.ts'
import {
  KEEPALIVE,
  limitStatements,
  primaryOf,
  SESSION_LIMITS,
  type SessionLimits,
  startParameters,
} from './session.ts'

/** Enough for every fixed statement in the code; statements of varying shape stay unnamed. */
const STATEMENT_NAMES_MAX = 1000
/** Longer than the server lets a statement run, for a server that does not answer at all. */
const QUERY_MS_OVER = 5000
const CONNECT_MS_MAX = 5000
/** At start the database may be recovering from a crash, and nobody waits for an answer. */
const START_CONNECT_MS_MAX = 60_000
/** Sessions are replaced, so that none keeps the memory of its past or a way to a former server. */
const SESSION_SECONDS_MAX = 30 * 60

export type DatabaseOptions = {
  /** With one host or several; see hosts.ts. */
  connectionString: string
  /**
   * Where sessions belong to one client each, for LISTEN and migrations. If given, a pooler stands
   * behind `connectionString`.
   */
  directConnectionString?: string | undefined
  /** Servers that answer reads, see replicas.ts. */
  replicaConnectionStrings?: readonly string[] | undefined
  connectionsMax: number
  /** Off behind poolers that cannot keep prepared statements per client. */
  preparedStatements: boolean
  /** The name of the sessions in pg_stat_activity. */
  name?: string | undefined
  /** How long a caller waits for a connection. */
  connectMsMax?: number | undefined
  limits?: Partial<SessionLimits> | undefined
  /** Callers wait longer until `endStart` is called. */
  isStarting?: boolean
  onError(err: unknown): void
}

export type Database = {
  db: Db
  /** For transactions on behalf of many callers: a lock that one of them needs does not hold up the rest. */
  groupCommitDb: Db
  pool: pg.Pool
  /** Undefined without servers that answer reads. */
  replicas: Replicas | undefined
  connectionString: string
  /** For sessions of one's own. */
  directConnectionString: string
  /** Whether the database answers and can be written to. */
  checkHealth(): Promise<DatabaseHealth>
  /** From now on callers wait for a connection as long as usual. */
  endStart(): void
  close(): Promise<void>
}

export function createDatabase(options: DatabaseOptions): Database {
  const { connectionString, directConnectionString, name } = options
  const connectMsMax = options.connectMsMax ?? CONNECT_MS_MAX
  const limits = { ...SESSION_LIMITS, ...options.limits }
  const isPooled = directConnectionString !== undefined
  const primary = primaryOf(connectionString, { name, isDirect: !isPooled })
  const pool = new pg.Pool({
    ...KEEPALIVE,
    ...(isPooled ? {} : startParameters(limits)),
    connectionString: primary.hosts.hosts[0].url,
    Client: createClientClass(primary),
    max: options.connectionsMax,
    connectionTimeoutMillis: options.isStarting ? START_CONNECT_MS_MAX : connectMsMax,
    // A server that accepts connections but does not answer must not block requests forever.
    query_timeout: limits.statementMs + QUERY_MS_OVER,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: SESSION_SECONDS_MAX,
  })
  let isClosing = false
  // A server that stops while the pool closes ends its last connections with an error.
  const onError = (err: unknown): void => {
    if (!isClosing) options.onError(err)
  }
  // Without a listener a lost idle connection would end the process.
  pool.on('error', (err, client) => {
    primary.invalidate(nameOf(client))
    onError(err)
  })
  // The same for a connection lost while a caller holds it between two statements.
  pool.on('connect', (client) => void client.on('error', onError))
  const watch = createHealthWatch()
  const toQuery = options.preparedStatements ? namedStatements() : toUnnamed
  const replicaConnectionStrings = options.replicaConnectionStrings ?? []
  const replicas =
    replicaConnectionStrings.length === 0
      ? undefined
      : createReplicas({
          connectionStrings: replicaConnectionStrings,
          connectionsMax: options.connectionsMax,
          sessionParameters: startParameters(limits),
          name,
          askPrimary: async (text) => (await pool.query(text)).rows[0],
          onError,
        })
  const open = (atBegin: string): Db => {
    const given = { primary, toQuery, atBegin, replicas, onError: watch.note }
    const sessions = createSessions(pool, given)
    return new Kysely<Record<never, never>>({ dialect: new PostgresDialect({ pool: sessions }) })
  }
  const afterBegin = isPooled ? `; ${limitStatements(limits)}` : ''
  const db = open(afterBegin)
  return {
    db,
    groupCommitDb: open(`${afterBegin}; set local lock_timeout = ${limits.groupLockMs}`),
    pool,
    replicas,
    connectionString,
    directConnectionString: directConnectionString ?? connectionString,
    checkHealth: () => watch.check(db),
    endStart() {
      // The pool reads the option each time somebody asks for a connection.
      pool.options.connectionTimeoutMillis = connectMsMax
    },
    async close() {
      isClosing = true
      await replicas?.stop()
      await pool.end()
    },
  }
}

/** As in the list of hosts. */
function nameOf({ host, port }: pg.Client): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

type Query = { text: string; values?: unknown[]; name?: string }

function toUnnamed(text: string, values: readonly unknown[]): Query {
  return { text, values: [...values] }
}

/** Names each distinct statement once, so that the server parses and plans it once per connection. */
function namedStatements(): typeof toUnnamed {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= STATEMENT_NAMES_MAX) return known
    const name = `t${names.size + 1}`
    names.set(text, name)
    return name
  }
  return (text, values) => {
    const name = nameOf(text)
    return { text, values: [...values], ...(name === undefined ? {} : { name }) }
  }
}

/**
 * The sessions of the pool for Kysely. One that cannot be used any more is closed instead of going back
 * into the pool. `atBegin` follows the `begin` of each transaction in the same message.
 */
function createSessions(
  pool: pg.Pool,
  options: {
    primary: Primary
    toQuery: typeof toUnnamed
    atBegin: string
    replicas: Replicas | undefined
    onError(err: unknown): void
  },
): PostgresPool {
  const { primary, toQuery, atBegin, replicas, onError } = options
  const connectToPrimary = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect()
    let failure: Error | undefined
    const note = (err: unknown): void => {
      onError(err)
      if (!endsSession(err)) return
      failure ??= toError(err)
      primary.invalidate(nameOf(client))
    }
    // A session that ends between two statements says why; the driver would only say that it ended.
    client.on('error', note)
    const query = (text: string, values: readonly unknown[]): unknown => {
      if (failure !== undefined) return Promise.reject(failure)
      const answer = client.query(
        values.length > 0 ? toQuery(text, values) : isBegin(text) ? text + atBegin : text,
      )
      answer.catch(note)
      return answer
    }
    // The cast is safe: Kysely's type also covers cursors, which no store uses.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release() {
        client.off('error', note)
        client.release(failure)
      },
    }
  }
  /** The session on the primary begins with the first statement that no replica answers. */
  const preferReplica = (of: Replicas): PostgresPoolClient => {
    let session: PostgresPoolClient | undefined
    const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
      if (session === undefined && isRead(text)) {
        const answer = await of.query(toQuery(text, values))
        if (answer !== undefined) return answer
      }
      session ??= await connectToPrimary()
      return session.query(text, values)
    }
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: () => session?.release(),
    }
  }
  return {
    connect: async () =>
      replicas?.isPreferred() === true ? preferReplica(replicas) : connectToPrimary(),
    end: () => pool.end(),
  }
}

function isBegin(text: string): boolean {
  return text === 'begin' || text.startsWith('start transaction')
}
