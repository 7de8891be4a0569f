import { setTimeout as sleep } from 'node:timers/promises'
import type { Load, Write } from './load.fixture.ts'
import { fail, type Node, type World } from './world.fixture.ts'

/** Longer than the server lets a frozen transaction hold its locks. */
const FREEZE_MS = 7500
const FREEZES_MAX = 100
/** How long faults last that end by themselves or are noticed at once. */
const FAULT_MS = 2000
/** Longer than the bound, so that a service that says it too late is measured. */
const NOTICE_MS_MAX = 15_000
const RECOVERY_MS_MAX = 60_000
const POLL_MS = 50
/** By how much a time of the database may be exceeded by one that it stored. */
const SKEW_MS_MAX = 2000

export type Outcome = {
  fault: string
  node: string
  /** Until `/health/writable` answered 503; null if the fault does not make writes fail. */
  noticedMs: number | null
  /** The longest that a write to another node took from then on; null if the fault concerns all of them. */
  othersMs: number | null
  /** From the end of the fault until every node had acknowledged all writes that began before. */
  recoveredMs: number
}

type Fault = {
  /** Whether writes fail on the node, or on every one. */
  stops: 'node' | 'all' | 'nothing'
  /** Begins and resolves to the function that ends it. */
  begin(world: World, node: Node): Promise<() => Promise<void>>
  lastsMs?: number
}

const clientSessions = `pid <> pg_backend_pid() and backend_type = 'client backend'`

/** In this order, in which the end of one does not hide the beginning of the next. */
const FAULTS: Record<string, Fault> = {
  /** The process ends in the middle of its work. */
  kill: {
    stops: 'nothing',
    async begin(_world, node) {
      await node.service.end('SIGKILL')
      return () => node.restart()
    },
  },
  /** The process stops while it holds locks, as a machine that swaps or a paused container does. */
  freeze: {
    stops: 'nothing',
    lastsMs: FREEZE_MS,
    async begin(world, node) {
      await freezeInTransaction(world, node)
      return async () => {
        await assertNothingHeld(world, node)
        node.service.child.kill('SIGCONT')
      }
    },
  },
  /** The network between the node and the database refuses connections. */
  cut: {
    stops: 'node',
    async begin(_world, node) {
      node.database.disconnect()
      return async () => node.database.reconnect()
    },
  },
  /** The network between the node and the database drops every packet. */
  silence: {
    stops: 'node',
    async begin(_world, node) {
      node.database.silence()
      return async () => node.database.reconnect()
    },
  },
  /** The database becomes read-only, as a demoted primary does. */
  readOnly: {
    stops: 'all',
    async begin({ ask }) {
      const set = async (value: string) => {
        await ask(`alter system set default_transaction_read_only = ${value}`)
        await ask('select pg_reload_conf()')
      }
      await set('on')
      return () => set('off')
    },
  },
  /** All sessions are ended by an administrator. */
  endSessions: {
    stops: 'nothing',
    async begin({ ask }) {
      await ask(`select pg_terminate_backend(pid) from pg_stat_activity where ${clientSessions}`)
      return async () => undefined
    },
  },
  /** Every process of the database is killed; it recovers from its log. */
  crash: {
    stops: 'nothing',
    async begin({ cluster, ask }) {
      process.kill(cluster.pid, 'SIGKILL')
      return async () => untilAnswered(ask)
    },
  },
  /** Writes fail with the error of a full disk, which triggers raise: the disk itself has room. */
  diskFull: {
    stops: 'all',
    async begin({ ask }) {
      await ask(`create or replace function soak_disk_full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device'
          using errcode = '53100'; end $$`)
      for (const table of ['checkpoint', 'decision']) {
        await ask(`create trigger soak_disk_full before insert on ${table}
          for each statement execute function soak_disk_full()`)
      }
      return async () => void (await ask('drop function soak_disk_full cascade'))
    },
  },
  /** Redis, in which rate limits are counted, does not answer the node. */
  redisAway: {
    stops: 'nothing',
    async begin(_world, { redis }) {
      redis?.silence()
      return async () => redis?.reconnect()
    },
  },
  /** The clock of the node is ten minutes ahead. */
  clock: {
    stops: 'nothing',
    async begin(world, node) {
      node.service.child.kill('SIGUSR2')
      return async () => {
        await assertNothingInFuture(world)
        node.service.child.kill('SIGUSR2')
      }
    },
  },
}

export const FAULT_NAMES = Object.keys(FAULTS)

/** Causes one fault, waits until the service has recovered, and measures what it did meanwhile. */
export async function cause(
  name: string,
  node: Node,
  { world, load }: { world: World; load: Load },
): Promise<Outcome> {
  const { stops, begin, lastsMs = FAULT_MS } = FAULTS[name] ?? fail(`there is no fault ${name}`)
  const startedMs = performance.now()
  const end = await begin(world, node)
  // Finding a moment in which a node holds locks takes a while.
  const begunMs = performance.now()
  let noticedMs: number | null = null
  try {
    const concerned = stops === 'all' ? world.nodes : [node]
    if (stops !== 'nothing') noticedMs = await untilNotWritable(concerned, startedMs)
    await sleep(Math.max(0, begunMs + lastsMs - performance.now()))
  } finally {
    await end()
  }
  const endedMs = performance.now()
  await untilAcknowledged(load, endedMs)
  return {
    fault: name,
    node: stops === 'all' ? 'all' : node.name,
    noticedMs,
    othersMs: CONCERN_ALL.has(name) ? null : slowestOfOthers(load.writes, node, begunMs, endedMs),
    recoveredMs: performance.now() - endedMs,
  }
}

/** These are faults of the database itself, so there is no other node. */
const CONCERN_ALL = new Set(['readOnly', 'endSessions', 'crash', 'diskFull'])

/** The longest write that was under way at some time between the two, counted from the first. */
function slowestOfOthers(
  writes: readonly Write[],
  node: Node,
  startedMs: number,
  endedMs: number,
): number {
  const tookMs = writes
    .filter((write) => write.node !== node)
    .filter((write) => write.startedMs <= endedMs && write.ackedMs >= startedMs)
    .map((write) => write.ackedMs - Math.max(write.startedMs, startedMs))
  return Math.max(0, ...tookMs)
}

/** A moment in which the node holds locks is rare under this load, so it is thawed until there is one. */
async function freezeInTransaction({ ask }: World, { service, name }: Node): Promise<void> {
  const idle = `select 1 from pg_stat_activity where state = 'idle in transaction'
    and application_name like '% ${service.child.pid} %'
    and pid in (select pid from pg_locks where mode = 'RowExclusiveLock')`
  for (let freezes = 0; freezes < FREEZES_MAX; freezes += 1) {
    service.child.kill('SIGSTOP')
    if ((await ask(idle)).rows.length > 0) return
    service.child.kill('SIGCONT')
    await sleep(Math.random() * 2 * POLL_MS)
  }
  fail(`${name} held no lock at any of ${FREEZES_MAX} moments: the load is too small`)
}

/** The server has ended every transaction of the frozen node by now. */
async function assertNothingHeld({ ask }: World, { service, name }: Node): Promise<void> {
  const { rows } = await ask(`select state, wait_event, now() - xact_start as since,
      left(query, 200) as query
    from pg_stat_activity where xact_start is not null
      and application_name like '% ${service.child.pid} %'`)
  if (rows.length === 0) return
  service.child.kill('SIGCONT')
  fail(`${name} was frozen and still had ${JSON.stringify(rows)}`)
}

async function untilNotWritable(nodes: readonly Node[], startedMs: number): Promise<number> {
  const isWritable = async ({ service }: Node): Promise<boolean> => {
    const signal = AbortSignal.timeout(NOTICE_MS_MAX)
    const answer = await fetch(`${service.url}/health/writable`, { signal })
    await answer.text()
    return answer.status === 200
  }
  await Promise.all(
    nodes.map(async (node) => {
      while (await isWritable(node)) {
        if (performance.now() - startedMs > NOTICE_MS_MAX) {
          fail(`${node.name} says after ${NOTICE_MS_MAX} ms that it is writable`)
        }
        await sleep(POLL_MS)
      }
    }),
  )
  return performance.now() - startedMs
}

async function untilAcknowledged(load: Load, endedMs: number): Promise<void> {
  for (let late = load.waiting(endedMs); late.length > 0; late = load.waiting(endedMs)) {
    if (performance.now() - endedMs > RECOVERY_MS_MAX) {
      const names = [...new Set(late.map(({ name }) => name))].join(', ')
      fail(`${names}: writes not acknowledged within ${RECOVERY_MS_MAX} ms of the end of the fault`)
    }
    await sleep(POLL_MS)
  }
}

async function untilAnswered(ask: World['ask']): Promise<void> {
  const deadline = performance.now() + RECOVERY_MS_MAX
  for (;;) {
    try {
      await ask('select 1')
      return
    } catch (err) {
      if (performance.now() > deadline) throw err
      await sleep(POLL_MS)
    }
  }
}

/** The id of a decision begins with its time. */
async function assertNothingInFuture({ ask }: World): Promise<void> {
  const { rows } = await ask(`select extract(epoch from now()) * 1000 as now,
    (select extract(epoch from max(created_at)) * 1000 from checkpoint) as checkpoint,
    (select decision_id from decision order by decision_id desc limit 1) as decision`)
  const [{ now, checkpoint, decision }] = rows as [Record<string, string>]
  const decidedMs = Number.parseInt(decision?.replace('-', '').slice(0, 12) ?? '', 16)
  for (const [what, ms] of [
    ['checkpoint', Number(checkpoint)],
    ['decision', decidedMs],
  ] as const) {
    if (!(ms <= Number(now) + SKEW_MS_MAX)) fail(`a ${what} has the time of a node that is ahead`)
  }
}
