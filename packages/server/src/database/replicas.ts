import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { KEEPALIVE } from './session.ts'

/** How the database answers what a request reads. */
export type ReadContext = {
  /** Answered from a replica while there is no primary. */
  mayBeStale: boolean
  /** How old the answer may be, if one was read while there was no primary. */
  staleMs?: number
}

const NO_REPLICA = new Error(
  'an address of DATABASE_REPLICA_URLS leads to a server that is no replica',
)

/** How often every server is asked how far it is. */
const WATCH_MS = 500
/** A primary that answers later is away for those who may read something stale. */
const ASK_MS_MAX = 1000
/** A read waits this long for a replica to catch up, then asks the primary. */
const CATCH_UP_MS_MAX = 50
const POLL_MS = 2
/** A replica this far behind is not waited for. */
const LAG_MS_MAX = 2000

/** A place in the write-ahead log; places of different timelines cannot be compared. */
type Position = { timeline: number; lsn: bigint }

type Asked = { timeline: number; lsn: string }

/** An acknowledged change is flushed, unless commits are set not to wait for that. */
const ASK_PRIMARY = `select ('x' || substr(pg_walfile_name(lsn), 1, 8))::bit(32)::int as timeline,
    (lsn - '0/0')::text as lsn
  from (select case current_setting('synchronous_commit') when 'off'
    then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end as lsn) as flushed`

/** Without a row for a server that was promoted, or never was a replica. */
const ASK_REPLICA = `select greatest(c.timeline_id, r.min_recovery_end_timeline) as timeline,
    (pg_last_wal_replay_lsn() - '0/0')::text as lsn
  from pg_control_checkpoint() c, pg_control_recovery() r where pg_is_in_recovery()`

type Server = { pool: pg.Pool; ask(): Promise<Position | undefined> }

type Replica = Server & {
  /** Undefined while it does not answer, and if it is no replica. */
  position: Position | undefined
  /** Whether it was told that it does not answer. */
  isToldAway: boolean
  /** When the primary was where this replica is now, or later. */
  freshAtMs: number
}

export type Replicas = ReturnType<typeof createReplicas>

/**
 * Answers reads from replicas. One is asked only if it has replayed everything that the primary had
 * committed when the read began, so that it shows every change that the primary would show; see ADR 0098.
 */
export function createReplicas(options: {
  connectionStrings: readonly string[]
  connectionsMax: number
  sessionParameters: object
  name?: string | undefined
  /** Answers from the primary, over its pool. */
  askPrimary(text: string): Promise<Asked | undefined>
  onError(err: unknown): void
}) {
  const contexts = new AsyncLocalStorage<ReadContext>()
  const stopping = new AbortController()
  const replicas = options.connectionStrings.map((connectionString): Replica => {
    const pool = new pg.Pool({
      ...KEEPALIVE,
      ...options.sessionParameters,
      connectionString,
      application_name: options.name,
      max: options.connectionsMax,
      connectionTimeoutMillis: ASK_MS_MAX,
      maxLifetimeSeconds: 30 * 60,
    })
    pool.on('error', options.onError)
    const ask = shared(async () => toPosition((await pool.query(ASK_REPLICA)).rows[0]))
    const freshAtMs = Number.NEGATIVE_INFINITY
    return { pool, ask, position: undefined, freshAtMs, isToldAway: false }
  })
  const askPrimary = shared(() => inTime(options.askPrimary(ASK_PRIMARY).then(toPosition)))
  /** When the primary answered for the last time, and whether it did not since. */
  let primaryAtMs = performance.now()
  let isPrimaryAway = false
  let turn = 0

  const locatePrimary = async (): Promise<Position | undefined> => {
    const askedMs = performance.now()
    const position = await askPrimary().catch(() => undefined)
    isPrimaryAway = position === undefined
    if (position !== undefined) primaryAtMs = Math.max(primaryAtMs, askedMs)
    return position
  }

  /** Asks a replica where it is. It is as fresh as the primary was at that place. */
  const locate = async (replica: Replica, primary?: { at: Position; atMs: number }) => {
    let reason: unknown = NO_REPLICA
    replica.position = await inTime(replica.ask()).catch((err: unknown) => {
      reason = err
      return undefined
    })
    const isAway = replica.position === undefined
    if (isAway && !replica.isToldAway) options.onError(reason)
    replica.isToldAway = isAway
    if (primary !== undefined && hasReached(replica, primary.at)) {
      replica.freshAtMs = Math.max(replica.freshAtMs, primary.atMs)
    }
  }

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const atMs = performance.now()
      const at = await locatePrimary()
      const primary = at && { at, atMs }
      await Promise.all(replicas.map((replica) => locate(replica, primary)))
      await sleep(WATCH_MS, undefined, { ref: false, signal: stopping.signal }).catch(
        () => undefined,
      )
    }
  }

  const lagMs = ({ freshAtMs }: Replica) => performance.now() - freshAtMs

  /** The replicas in reach, another one first each time. */
  const inReach = (): Replica[] => {
    turn += 1
    return replicas
      .flatMap((_, at) => replicas[(at + turn) % replicas.length] ?? [])
      .filter(({ position }) => position !== undefined)
  }

  const catchUp = async (target: Position): Promise<Replica | undefined> => {
    const candidates = inReach().filter((replica) => lagMs(replica) <= LAG_MS_MAX)
    const startedMs = performance.now()
    while (candidates.length > 0) {
      const ready = candidates.find((replica) => hasReached(replica, target))
      if (ready !== undefined || performance.now() - startedMs > CATCH_UP_MS_MAX) return ready
      await Promise.all(candidates.map((replica) => locate(replica)))
      if (!candidates.some((replica) => hasReached(replica, target))) await sleep(POLL_MS)
    }
    return undefined
  }

  const findStale = (context: ReadContext): Replica | undefined => {
    // One that was never seen at a place of the primary may be of any age.
    const [freshest] = inReach()
      .filter(({ freshAtMs }) => Number.isFinite(freshAtMs))
      .sort((a, b) => b.freshAtMs - a.freshAtMs)
    if (freshest !== undefined) context.staleMs = Math.max(context.staleMs ?? 0, lagMs(freshest))
    return freshest
  }

  const find = async (context: ReadContext): Promise<Replica | undefined> => {
    if (replicas.every(({ position }) => position === undefined)) return undefined
    // Known already, so that nobody waits for it again and again.
    const target = isPrimaryAway && context.mayBeStale ? undefined : await locatePrimary()
    if (target !== undefined) return catchUp(target)
    return context.mayBeStale ? findStale(context) : undefined
  }

  return {
    /** The reads of the work, also later ones that it causes, can be answered by a replica. */
    prefer: <T>(context: ReadContext, work: () => T): T => contexts.run(context, work),

    isPreferred: () => contexts.getStore() !== undefined,

    /** Undefined if the primary has to be asked. */
    async query(query: pg.QueryConfig): Promise<pg.QueryResult | undefined> {
      const context = contexts.getStore()
      const replica = context && (await find(context))
      if (replica === undefined) return undefined
      try {
        return await replica.pool.query(query)
      } catch (err) {
        // Such as a statement that waited too long for what the replica replays, or one that writes.
        options.onError(err)
        return undefined
      }
    },

    /** How long ago the primary answered, while it does not; undefined while it does. */
    awayMs: () => (isPrimaryAway ? performance.now() - primaryAtMs : undefined),

    /** How far the last of the replicas is behind, in seconds. */
    lagSeconds: () => Math.max(...replicas.map(lagMs)) / 1000,

    start(): void {
      void watch()
    },

    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(replicas.map(({ pool }) => pool.end()))
    },
  }
}

function toPosition(asked: Asked | undefined): Position | undefined {
  return asked && { timeline: asked.timeline, lsn: BigInt(asked.lsn) }
}

function hasReached({ position }: Replica, { timeline, lsn }: Position): boolean {
  return position !== undefined && position.timeline === timeline && position.lsn >= lsn
}

/** Callers share a question that has not been sent yet, so that no answer is older than its question. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let waiting: Promise<T> | undefined
  return () => {
    waiting ??= running.then(() => {
      waiting = undefined
      const asked = ask()
      running = asked.catch(() => undefined)
      return asked
    })
    return waiting
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const waiting = new AbortController()
  const late = sleep(ASK_MS_MAX, undefined, { signal: waiting.signal }).then(() => {
    throw new Error('timeout exceeded when trying to connect')
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([answer, late])
  } finally {
    waiting.abort()
  }
}

/** Statements of stores that only read. Others, and transactions, are for the primary. */
export function isRead(text: string): boolean {
  return READ.test(text) && !WRITES.test(text)
}

const READ = /^\s*(select|with)\b/i
const WRITES =
  /\b(insert\s+into|update|delete\s+from|merge\s+into|for\s+(no\s+key\s+)?(update|share)|for\s+key\s+share|nextval|setval|pg_notify|pg_\w*advisory\w*|set_config)\b/i
