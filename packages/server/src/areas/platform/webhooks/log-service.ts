import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { Outbox, WrittenEvent } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { createAttempt } from './attempt-service.ts'
import { type Attempt, type Delivery, isFinished } from './delivery.ts'
import { createDeliveryStore, type DeliveryDetail, type DeliveryFilter } from './delivery-store.ts'
import type { Endpoint } from './endpoint.ts'
import { noEndpoint } from './endpoint-service.ts'
import { bodyOf } from './envelope.ts'
import { TEST_TYPE } from './event-types.ts'
import { BY_EVENT, CATCH_UP_MS, DUE_TOPIC, type FanOut } from './fan-out-service.ts'
import { isDelivered } from './retry.ts'
import { createEndpointStore } from './store.ts'

export const REPLAY_JOB = 'webhooks.replay'

/** spec: platform §5.5. */
const KEPT_MS = 30 * DAY_MS
const PAGE = 500

export type LogDeps = {
  db: Db
  clock: Clock
  events: Outbox
  jobs: Jobs
  notices: Notices
  fanOut: FanOut
  attempt: ReturnType<typeof createAttempt>
}

export type Replay = {
  replayId: string
  orgId: string
  endpointId: string
  since: Date
  until: Date
  /** If undefined, the endpoint's own subscription applies. */
  eventTypes: readonly string[] | undefined
}

/** Cursor: the event after which a replay continues. */
export type Cursor = { id: string; createdAt: Date }

/** The delivery log: reads, test deliveries, redelivery and replay. */
export function createLog(deps: LogDeps) {
  const replays = createReplayMethods(deps)
  const store = createDeliveryStore(deps.db)
  const get = async (orgId: string, deliveryId: string): Promise<DeliveryDetail> => {
    const delivery = await store.find(orgId, deliveryId, deps.clock.now())
    if (delivery === undefined) throw new Problem('not_found', 'No such delivery.')
    return delivery
  }
  return {
    test: (orgId: string, endpointId: string) => sendTest(deps, orgId, endpointId),
    requestReplay: replays.requestReplay,
    replay: replays.replay,
    catchUp: replays.catchUp,

    deliveries: (filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>> =>
      store.list(filter, page, deps.clock.now()),

    delivery: get,

    /** Creates a new delivery with the same body. */
    async redeliver(orgId: string, deliveryId: string) {
      const before = await get(orgId, deliveryId)
      if (!isFinished(before)) throw new Problem('conflict', 'The delivery is not finished yet.')
      return transact(deps.db, async (tx) => {
        await lockActive(tx, orgId, before.endpointId)
        const again = {
          ...before,
          orgId,
          deliveryId: newId('whd'),
          cause: newId('redelivery'),
        }
        await createDeliveryStore(tx).insertPending([again], deps.clock.now())
        await deps.notices.publish(tx, DUE_TOPIC, '')
        return { deliveryId: again.deliveryId, eventId: again.eventId }
      })
    },

    async purge(now: Date): Promise<number> {
      const time = later(now, -KEPT_MS)
      const deleted = await purgeInPages((rowsMax) => store.deleteBefore(time, rowsMax))
      await purgeInPages((rowsMax) => store.deleteMessagesBefore(time, rowsMax))
      return deleted
    },
  }
}

/** One attempt now, even if the endpoint is disabled; logged, but neither counted nor retried. */
async function sendTest(
  deps: LogDeps,
  orgId: string,
  endpointId: string,
): Promise<{ success: boolean; attempt: Attempt }> {
  const endpoints = createEndpointStore(deps.db)
  const endpoint = await endpoints.find(orgId, endpointId)
  const secrets = await endpoints.secretsOf(endpointId)
  if (endpoint === undefined || secrets === undefined) throw noEndpoint()
  const eventId = newId('evt')
  const deliveryId = newId('whd')
  const body = bodyOf({
    id: eventId,
    type: TEST_TYPE,
    accountId: endpoint.accountId,
    createdAt: deps.clock.now(),
    data: {
      message: 'This is a test of your webhook endpoint.',
      endpoint_id: endpointId,
      org_id: orgId,
    },
  })
  const { url } = endpoint
  const delivery = { deliveryId, eventId, endpointId, eventType: TEST_TYPE, body }
  const { answer, record } = await deps.attempt({ ...delivery, url, secrets, channel: null }, 1)
  const success = isDelivered(answer)
  const outcome = { status: success ? 'delivered' : 'failed', attempt: record } as const
  await transact(deps.db, async (tx) => {
    // If the endpoint was deleted during the test, there is no log to write to.
    if ((await createEndpointStore(tx).lock(orgId, endpointId)) === undefined) return
    const store = createDeliveryStore(tx)
    await store.insertMessages([{ eventId, orgId, body }], deps.clock.now())
    const row = { ...delivery, orgId, cause: TEST_TYPE }
    await store.insertTried(row, outcome, deps.clock.now())
  })
  return { success, attempt: record }
}

function createReplayMethods(deps: LogDeps) {
  return {
    /** Enqueues a job that delivers all events from `since` until now again. */
    async requestReplay(
      request: Pick<Replay, 'orgId' | 'endpointId' | 'since' | 'eventTypes'>,
    ): Promise<Replay> {
      const until = deps.clock.now()
      const replay = { ...request, until, replayId: newId('replay') }
      await transact(deps.db, async (tx) => {
        await lockActive(tx, request.orgId, request.endpointId)
        await deps.jobs.enqueue(tx, REPLAY_JOB, replayPayload(replay, undefined))
      })
      return replay
    },

    /**
     * Idempotent: existing deliveries are not inserted again. One page per job, so that other jobs
     * do not wait for the whole replay.
     */
    async replay(replay: Replay, after: Cursor | undefined): Promise<void> {
      const { last, ...page } = await readPage(deps, replay, after)
      await transact(deps.db, async (tx) => {
        await deps.fanOut.write(tx, { ...page, cause: replay.replayId })
        if (last === undefined) return
        await deps.jobs.enqueue(tx, REPLAY_JOB, replayPayload(replay, last))
      })
    },

    /** Delivers events that nodes with a stale cache missed after the endpoint was enabled. */
    async catchUp(from: { orgId: string; endpointId: string; since: Date }): Promise<void> {
      const until = later(from.since, CATCH_UP_MS)
      const missed = { ...from, until, replayId: '', eventTypes: undefined }
      let after: Cursor | undefined
      do {
        const { last, ...page } = await readPage(deps, missed, after)
        await transact(deps.db, (tx) => deps.fanOut.write(tx, { ...page, cause: BY_EVENT }))
        after = last
      } while (after !== undefined)
    },
  }
}

type ReplayPage = {
  events: readonly WrittenEvent[]
  endpoints: readonly Endpoint[]
  /** Undefined on the last page. */
  last: Cursor | undefined
}

async function readPage(
  deps: LogDeps,
  replay: Replay,
  after: Cursor | undefined,
): Promise<ReplayPage> {
  const { orgId, since, until } = replay
  const endpoint = await createEndpointStore(deps.db).find(orgId, replay.endpointId)
  // Nothing is replayed to an endpoint that was disabled since the request.
  if (endpoint === undefined || !endpoint.isActive || !endpoint.isEntitled) {
    return { events: [], endpoints: [], last: undefined }
  }
  const eventTypes = replay.eventTypes ?? endpoint.eventTypes
  const events = await deps.events.list(orgId, { since, until, after, limit: PAGE })
  const last = events.length < PAGE ? undefined : events.at(-1)
  return { events, endpoints: [{ ...endpoint, eventTypes }], last }
}

function replayPayload(replay: Replay, after: Cursor | undefined) {
  return {
    replay_id: replay.replayId,
    org_id: replay.orgId,
    endpoint_id: replay.endpointId,
    since: replay.since.toISOString(),
    until: replay.until.toISOString(),
    event_types: replay.eventTypes ?? null,
    after: after === undefined ? null : { id: after.id, created_at: after.createdAt.toISOString() },
  }
}

async function lockActive(tx: Db, orgId: string, endpointId: string): Promise<void> {
  const endpoint = await createEndpointStore(tx).lock(orgId, endpointId)
  if (endpoint === undefined) throw noEndpoint()
  if (endpoint.isActive) return
  throw new Problem('conflict', 'The endpoint is disabled. Set is_active to true first.')
}
