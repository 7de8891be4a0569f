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

/** spec: platform §5.5. */
const LEASE_MS = 30 * SECOND_MS
const PER_ENDPOINT_MAX = 4
const PER_NODE_MAX = 64
/**
 * Deliveries are claimed in advance, this many times the number sent at once, so that sending and
 * claiming overlap. A delivery that waits so long that its attempt might outlast the lease is given
 * back.
 */
const CLAIM_AHEAD = 8
const WAIT_MS_MAX = LEASE_MS - ATTEMPT_MS_MAX - 5 * SECOND_MS
/** Back-off of a delivery that could not be prepared on our side. */
const UNPREPARED_RETRY_MS = 10 * SECOND_MS
/** Notices wake the loop for new work; polling finds retries and work whose notice was lost. */
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
 * Claims deliveries, sends them and settles their outcomes. All state is in the database: when a
 * worker dies, its leases expire and others take over.
 */
export function createDispatcher(deps: DispatchDeps) {
  const worker = newId('worker')
  const lanes = createLanes<Claimed>({ perEndpoint: PER_ENDPOINT_MAX, atOnce: PER_NODE_MAX })
  const running = new Set<Promise<void>>()
  let outcomes: Outcome[] = []
  let isPaused = false
  let stepping: Promise<unknown> = Promise.resolve()

  const launch = (claimed: Claimed): void => {
    const work = deliver(deps, claimed).then((outcome) => {
      outcomes.push(outcome)
      running.delete(work)
      lanes.done(claimed)
      for (const next of lanes.start()) launch(next)
      loop.wake()
    })
    running.add(work)
  }

  /** Returns how many deliveries it settled and claimed. */
  const step = async (room = CLAIM_AHEAD * PER_NODE_MAX - lanes.size()): Promise<number> => {
    const settling = outcomes
    if (settling.length === 0 && room === 0) return 0
    outcomes = []
    const claimed = await settleAndClaim(deps, settling, {
      worker,
      held: lanes.held(),
      room,
    }).catch((err: unknown) => {
      // Retried in the next step; if the lease expires first, the delivery is sent again, not
      // lost.
      outcomes = [...settling, ...outcomes]
      throw err
    })
    lanes.add(claimed)
    for (const one of lanes.start()) launch(one)
    for (const { status, attempt } of settling) if (attempt !== null) deps.onOutcome(status)
    return settling.length + claimed.length
  }

  const repeated = (): Promise<number> => {
    const done = isPaused ? step(0) : step()
    stepping = done.catch(() => undefined)
    return done
  }
  const loop = createLoop({ intervalMs: POLL_MS, step: repeated, onError: deps.onError })
  deps.notices.on(DUE_TOPIC, () => loop.wake())

  return {
    start: loop.start,
    /** Claims nothing from when it returns until the function that it returns is called. */
    async pause(): Promise<() => void> {
      isPaused = true
      await stepping
      return () => {
        isPaused = false
        loop.wake()
      }
    },
    /** Waits for attempts under way, which their timeout bounds, and gives the rest back. */
    async stop(): Promise<void> {
      await loop.stop()
      const unsent = lanes.drop()
      await Promise.all(running)
      outcomes.push(...unsent.map(untouched))
      await step(0)
    },
    /** Sends everything that is due now; the worker loop repeats this. */
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

/** Settles outcomes and claims as many deliveries as there is room for, in one transaction. */
function settleAndClaim(
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
    const perEndpoint = CLAIM_AHEAD * PER_ENDPOINT_MAX
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
  // Our fault: nothing was sent, so nothing counts against the receiver.
  if (tried === undefined) {
    const error = 'the delivery could not be prepared'
    return { ...untouched(claimed), error, dueAt: later(now, UNPREPARED_RETRY_MS) }
  }
  const { answer, record } = tried
  const verdict = judge(answer, number, { random: deps.random(), now })
  const dueAt = verdict.status === 'retrying' ? later(now, verdict.delayMs) : null
  return { claimed, status: verdict.status, attempt: record, error: record.error, dueAt }
}

/** Gives a delivery back unchanged, due immediately for any worker. */
function untouched(claimed: Claimed): Outcome {
  const status = claimed.attemptCount === 0 ? 'pending' : 'retrying'
  return { claimed, status, attempt: null, error: null, dueAt: claimed.claimedAt }
}

async function settle(deps: DispatchDeps, tx: Db, outcomes: readonly Outcome[]): Promise<void> {
  const now = deps.clock.now()
  const settled = await createQueueStore(tx).settle(outcomes, now)
  const tally = tallyOf(settled)
  if (tally.length === 0) return
  const failing = await createEndpointStore(tx).countOutcomes(tally, FAILURES_MAX, now)
  for (const endpoint of failing) await disable(deps, tx, endpoint)
}

/**
 * Finished deliveries per endpoint, sorted, so that two workers cannot deadlock on the row locks.
 */
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

async function disable(deps: DispatchDeps, tx: Db, endpoint: Endpoint): Promise<void> {
  await disableForFailures(deps, tx, { endpoint, reason: DISABLED_BY_FAILURES })
  const { orgId, endpointId, url } = endpoint
  await deps.jobs.enqueue(tx, DISABLED_JOB, { org_id: orgId, endpoint_id: endpointId, url })
}
