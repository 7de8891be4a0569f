import type { Audit } from '../../../audit.ts'
import { type Clock, later, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { createLoop, type Jobs } from '../../../kernel/jobs.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { ATTEMPT_MS_MAX, type createAttempt } from './attempt-service.ts'
import { DISABLED_BY_FAILURES, type Endpoint, UNSENT } from './endpoint.ts'
import { disableForFailures } from './endpoint-service.ts'
import { DUE_TOPIC, type FanOut } from './fan-out-service.ts'
import { createLanes } from './lanes.ts'
import {
  type Claimed,
  createQueueStore,
  type Held,
  type Outcome,
  type Settled,
} from './queue-store.ts'
import { FAILURES_MAX, judge } from './retry.ts'
import { createEndpointStore } from './store.ts'

export const DISABLED_JOB = 'webhooks.disabled'

/** 04 §5.5. */
const LEASE_MS = 30 * SECOND_MS
const PER_ENDPOINT_MAX = 4
const PER_NODE_MAX = 64
/**
 * Several times as many are taken beforehand, so that sending and fetching overlap. What still
 * waits when its attempt might outlast the lease is given back.
 */
const AHEAD = 8
const WAIT_MS_MAX = LEASE_MS - ATTEMPT_MS_MAX - 5 * SECOND_MS
/** How long a delivery waits that we could not even prepare. */
const OWN_FAULT_MS = 10 * SECOND_MS
/** Word of new work comes at once; this finds retries, and what no word came of. */
const POLL_MS = 500

export type DispatchDeps = {
  db: Db
  clock: Clock
  audit: Audit
  jobs: Jobs
  notices: Notices
  fanOut: FanOut
  attempt: ReturnType<typeof createAttempt>
  /** Uniform in [0, 1). */
  random(): number
  onOutcome(outcome: Outcome['status']): void
  onError(err: unknown): void
}

/**
 * Takes deliveries, sends them and writes down what became of them. Everything it knows is in the
 * database: a worker that dies is forgotten with its lease.
 */
export function createDispatcher(deps: DispatchDeps) {
  const worker = newId('worker')
  const lanes = createLanes<Claimed>({ perEndpoint: PER_ENDPOINT_MAX, atOnce: PER_NODE_MAX })
  const running = new Set<Promise<void>>()
  let outcomes: Outcome[] = []

  const launch = (claimed: Claimed): void => {
    const work = deliver(deps, claimed).then((outcome) => {
      outcomes.push(outcome)
      running.delete(work)
      lanes.done(claimed)
      for (const next of lanes.begin()) launch(next)
      loop.wake()
    })
    running.add(work)
  }

  /** Gives how many it has settled and taken. */
  const step = async (room = AHEAD * PER_NODE_MAX - lanes.size()): Promise<number> => {
    const settling = outcomes
    if (settling.length === 0 && room === 0) return 0
    outcomes = []
    const claimed = await turn(deps, settling, { worker, held: lanes.held(), room }).catch(
      (err: unknown) => {
        // Kept for the next try; past the lease it would be sent again, never lost.
        outcomes = [...settling, ...outcomes]
        throw err
      },
    )
    lanes.add(claimed)
    for (const one of lanes.begin()) launch(one)
    for (const { status, attempt } of settling) if (attempt !== null) deps.onOutcome(status)
    return settling.length + claimed.length
  }

  const loop = createLoop({ intervalMs: POLL_MS, step: () => step(), onError: deps.onError })
  deps.notices.on(DUE_TOPIC, () => loop.wake())

  return {
    start: loop.start,
    /** What is under way is brought to its end, which an attempt's time limit bounds. */
    async stop(): Promise<void> {
      await loop.stop()
      const unsent = lanes.drop()
      await Promise.all(running)
      outcomes.push(...unsent.map(untouched))
      await step(0)
    },
    /** Sends whatever is due now; the worker loop is this, repeated. */
    async runDue(): Promise<number> {
      let done = 0
      for (;;) {
        const found = await step()
        done += found
        if (running.size > 0) await Promise.race(running)
        else if (found === 0) return done
      }
    },
  }
}

/** Writes down what has come to its end and takes what there is room for, in one transaction. */
function turn(
  deps: DispatchDeps,
  outcomes: readonly Outcome[],
  { worker, held, room }: { worker: string; held: Held; room: number },
): Promise<Claimed[]> {
  return transact(deps.db, async (tx) => {
    const queue = createQueueStore(tx)
    await queue.lock()
    if (outcomes.length > 0) await settle(deps, tx, outcomes)
    const idle = outcomes.map(({ claimed }) => claimed.endpointId).filter((id) => !held.has(id))
    if (idle.length > 0) await queue.release(worker, [...new Set(idle)])
    if (room === 0) return []
    const now = deps.clock.now()
    const leaseUntil = later(now, LEASE_MS)
    const perEndpoint = AHEAD * PER_ENDPOINT_MAX
    return queue.claim({ worker, held, now, leaseUntil, perEndpoint, limit: room })
  })
}

async function deliver(deps: DispatchDeps, claimed: Claimed): Promise<Outcome> {
  const waitedMs = deps.clock.nowMs() - claimed.claimedAt.getTime()
  if (waitedMs > WAIT_MS_MAX) return untouched(claimed)
  if (!claimed.isActive) {
    return { claimed, status: 'failed', attempt: null, error: UNSENT, dueAt: null }
  }
  const number = claimed.attemptCount + 1
  const tried = await deps.attempt(claimed, number).catch(deps.onError)
  const now = deps.clock.now()
  // A fault of ours: nothing was sent, so nothing counts against the receiver.
  if (tried === undefined) {
    const error = 'the delivery could not be prepared'
    return { ...untouched(claimed), error, dueAt: later(now, OWN_FAULT_MS) }
  }
  const { answer, record } = tried
  const verdict = judge(answer, number, { random: deps.random(), now })
  const dueAt = verdict.status === 'retrying' ? later(now, verdict.delayMs) : null
  return { claimed, status: verdict.status, attempt: record, error: record.error, dueAt }
}

/** Given back as it was taken, for another worker to send at once. */
function untouched(claimed: Claimed): Outcome {
  const status = claimed.attemptCount === 0 ? 'pending' : 'retrying'
  return { claimed, status, attempt: null, error: null, dueAt: claimed.claimedAt }
}

async function settle(deps: DispatchDeps, tx: Db, outcomes: readonly Outcome[]): Promise<void> {
  const now = deps.clock.now()
  const settled = await createQueueStore(tx).settle(outcomes, now)
  const tally = tallyOf(settled)
  if (tally.length === 0) return
  const spent = await createEndpointStore(tx).countOutcomes(tally, FAILURES_MAX, now)
  for (const endpoint of spent) await giveUp(deps, tx, endpoint)
}

/** What ended, by endpoint; in one order, so that two workers cannot wait for each other. */
function tallyOf(settled: readonly Settled[]) {
  const ended = settled.filter(
    ({ status, tried }) => tried && (status === 'failed' || status === 'delivered'),
  )
  const endpointIds = [...new Set(ended.map(({ endpointId }) => endpointId))].sort()
  return endpointIds.map((endpointId) => {
    const own = ended.filter((one) => one.endpointId === endpointId)
    const failed = own.filter(({ status }) => status === 'failed').length
    return { endpointId, failed, delivered: failed < own.length }
  })
}

async function giveUp(deps: DispatchDeps, tx: Db, endpoint: Endpoint): Promise<void> {
  await disableForFailures(deps, tx, { endpoint, reason: DISABLED_BY_FAILURES })
  const { orgId, endpointId, url } = endpoint
  await deps.jobs.enqueue(tx, DISABLED_JOB, { org_id: orgId, endpoint_id: endpointId, url })
}
