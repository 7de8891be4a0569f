import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Host, Hosts } from './hosts.ts'

/** No host accepts writes; the message says of each why. */
export class NoPrimary extends Error {
  override name = 'NoPrimary'
}

/** Finds the host of a connection string that accepts writes. */
export type Primary = {
  hosts: Hosts
  /** The primary, usually known already. Rejects with `NoPrimary` if none is found in time. */
  find(): Promise<Host>
  /** A session on this host was lost or refused a write: the next `find` searches again. */
  invalidate(name: string): void
}

/** A probe of a host that does not answer takes this long. */
const PROBE_MS_MAX = 2000
/** How long hosts listed earlier may take, before a later one that has answered is chosen. */
const HEAD_START_MS = 250
/** Shorter than callers wait for a connection, so that they learn the reason. */
const SEARCH_MS_MAX = 4000
const BACKOFF_MS_MIN = 50
const BACKOFF_MS_MAX = 1000

/**
 * A single host is the primary until a session shows otherwise, see client.ts. Of several, all are
 * asked at the same time, and the first in the order of the connection string that accepts writes is
 * the primary. While there is none, as during a failover, the search is repeated with back-off.
 */
export function createPrimary(hosts: Hosts, searchMsMax = SEARCH_MS_MAX): Primary {
  const [only, ...others] = hosts.hosts
  let known: Host | undefined = others.length === 0 ? only : undefined
  let searching: Promise<Host> | undefined

  const search = async (): Promise<Host> => {
    const startedMs = performance.now()
    for (let attempt = 0; ; attempt += 1) {
      try {
        known = await findNow(hosts)
        return known
      } catch (err) {
        const waitMs = backoffMs(attempt)
        if (performance.now() - startedMs + waitMs > searchMsMax) throw err
        await sleep(waitMs)
      }
    }
  }

  return {
    hosts,
    find() {
      if (known !== undefined) return Promise.resolve(known)
      searching ??= search().finally(() => {
        searching = undefined
      })
      return searching
    },
    invalidate(name) {
      if (others.length > 0 && known?.name === name) known = undefined
    },
  }
}

/** Between half and all of a time that doubles, so that nodes do not ask in step. */
export function backoffMs(attempt: number): number {
  const most = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** attempt)
  return most * (0.5 + Math.random() / 2)
}

type Probed = { host: Host; refusal: string | undefined }

/** Asks every host once. Rejects with `NoPrimary`. */
export async function findNow(hosts: Hosts, probeMsMax = PROBE_MS_MAX): Promise<Host> {
  const probes = hosts.hosts.map((host) => probe(host, hosts.needsReadWrite, probeMsMax))
  for (const asked of probes) {
    const probed = await Promise.race([asked, sleep(HEAD_START_MS)])
    if (probed !== undefined && probed.refusal === undefined) return probed.host
  }
  const accepting = probes.map(async (asked) => {
    const { host, refusal } = await asked
    if (refusal !== undefined) throw new Error(refusal)
    return host
  })
  try {
    return await Promise.any(accepting)
  } catch {
    throw noPrimary(await Promise.all(probes))
  }
}

function noPrimary(probed: readonly Probed[]): NoPrimary {
  const reasons = probed.map(({ host, refusal }) => `${host.name} ${refusal}`).join('; ')
  return new NoPrimary(
    `No PostgreSQL server accepts writes: ${reasons}. Give the address of the primary, or of all servers: postgres://user:password@host1:5432,host2:5432/name?target_session_attrs=read-write`,
  )
}

async function probe(host: Host, needsReadWrite: boolean, msMax: number): Promise<Probed> {
  const client = new pg.Client({
    connectionString: host.url,
    connectionTimeoutMillis: msMax,
    query_timeout: msMax,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return { host, refusal: await refusalOf(client, needsReadWrite) }
  } catch (err) {
    return { host, refusal: describeFailure(err) }
  } finally {
    // A server that does not answer does not confirm the end either.
    void client.end().catch(() => undefined)
  }
}

/** Why this session cannot be used for writes; undefined if it can. */
export async function refusalOf(
  client: pg.Client,
  needsReadWrite: boolean,
): Promise<string | undefined> {
  const { rows } = await client.query<{ standby: boolean; readonly: boolean }>(
    `select pg_is_in_recovery() as standby,
       current_setting('default_transaction_read_only')::boolean as readonly`,
  )
  if (rows[0]?.standby === true) return 'is a replica, which accepts no writes'
  if (needsReadWrite && rows[0]?.readonly === true) return 'is set to default_transaction_read_only'
  return undefined
}

function describeFailure(err: unknown): string {
  const code = err instanceof Error && 'code' in err ? String(err.code) : ''
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'has a name that resolves to no address'
  if (code === 'ECONNREFUSED') return 'refuses connections'
  const message = err instanceof Error ? err.message : String(err)
  if (/timeout|timed out/i.test(message)) return 'does not respond'
  return `fails: ${message}`
}
