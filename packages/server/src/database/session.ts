import { hostname } from 'node:os'
import pg from 'pg'
import { createClientClass } from './client.ts'
import { parseHosts, withParameters } from './hosts.ts'
import { createPrimary, findNow, type Primary } from './primary.ts'

/**
 * Limits that the server enforces, so that a process that is frozen or cut off from it cannot hold
 * locks and connections for ever.
 */
export type SessionLimits = {
  statementMs: number
  lockMs: number
  /** The same for transactions on behalf of many callers. */
  groupLockMs: number
  idleInTransactionMs: number
}

export const SESSION_LIMITS: SessionLimits = {
  statementMs: 30_000,
  lockMs: 10_000,
  groupLockMs: 2000,
  idleInTransactionMs: 5000,
}

/** This process notices a lost connection within 20 seconds of silence; so does the server. */
const KEEPALIVE_MS = 10_000
const SERVER_KEEPALIVE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2'

/** For every connection. The socket that a pooler accepts has the same need. */
export const KEEPALIVE = { keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_MS } as const

/** The limits as parameters of the start of a session. */
export function startParameters(limits: SessionLimits) {
  return {
    statement_timeout: limits.statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
}

/**
 * The limits as statements, sent in the same message as `begin`. A pooler in transaction mode gives each
 * transaction another session, and refuses parameters that it does not know at the start of one.
 */
export function limitStatements(limits: SessionLimits): string {
  return Object.entries(startParameters(limits))
    .map(([name, ms]) => `set local ${name} = ${ms}`)
    .join('; ')
}

/** PostgreSQL cuts names after 63 bytes, which must not cut the process id and the version. */
const HOST_LENGTH_MAX = 18

/**
 * Names the role, the process and its version in pg_stat_activity, by which nodes recognise each other;
 * see releases.ts.
 */
export function serviceName(role: string, version: string): string {
  return `touchstone ${role} ${hostname().slice(0, HOST_LENGTH_MAX)} ${process.pid} ${version}`
}

/** The primary of a connection string, whose sessions have this name in pg_stat_activity. */
export function primaryOf(
  connectionString: string,
  { name, isDirect = true }: { name?: string | undefined; isDirect?: boolean } = {},
): Primary {
  const hosts = parseHosts(connectionString)
  const given = new URL(hosts.hosts[0].url).searchParams.get('options')
  return createPrimary(
    withParameters(hosts, {
      ...(name === undefined ? {} : { application_name: name }),
      // The last of two equal options counts, which is that of the connection string.
      ...(isDirect ? { options: [SERVER_KEEPALIVE, given ?? ''].join(' ').trim() } : {}),
    }),
  )
}

/** One connection to the primary, not yet connected, for work that needs a session of its own. */
export function createSession(
  connectionString: string,
  options: { name?: string | undefined } & pg.ClientConfig = {},
): pg.Client {
  const { name, ...config } = options
  const primary = primaryOf(connectionString, { name })
  const Client = createClientClass(primary)
  return new Client({ ...KEEPALIVE, ...config, connectionString: primary.hosts.hosts[0].url })
}

const START_MS_MAX = 10_000

/**
 * Connects once, with the parameters that every session will have. Fails with a message for the
 * operator if there is no primary, or if a pooler refuses the parameters.
 */
export async function assertReachable(connectionString: string, isDirect: boolean): Promise<void> {
  const hosts = parseHosts(connectionString)
  await (hosts.hosts.length === 1 ? findNow(hosts, START_MS_MAX) : createPrimary(hosts).find())
  const primary = primaryOf(connectionString, { isDirect })
  const Client = createClientClass(primary)
  const client = new Client({
    ...KEEPALIVE,
    ...(isDirect ? startParameters(SESSION_LIMITS) : {}),
    connectionString: primary.hosts.hosts[0].url,
    connectionTimeoutMillis: START_MS_MAX,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (err) {
    if (!isUnknownParameter(err)) throw err
    throw new Error(
      'a connection pooler answers there. Set DATABASE_DIRECT_URL to the address of the database itself, for LISTEN and migrations.',
      { cause: err },
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** PgBouncer refuses parameters that it does not know with the SQLSTATE of a protocol violation. */
function isUnknownParameter(err: unknown): boolean {
  return err instanceof pg.DatabaseError && /unsupported startup parameter/.test(err.message)
}
