import { createCache } from '../../../kernel/cache.ts'
import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { WrittenEvent } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createDeliveryStore } from './delivery-store.ts'
import type { Endpoint } from './endpoint.ts'
import { bodyOf, namesOf } from './envelope.ts'
import { isSubscribed } from './event-types.ts'
import type { Plans } from './ports.ts'
import { createEndpointStore } from './store.ts'

/** Word between nodes: of an organisation's endpoints, and of something to send. */
export const ENDPOINTS_TOPIC = 'webhook_endpoint'
export const DUE_TOPIC = 'webhook_due'

/** What is due to an event itself, not to somebody who asked for it again. */
export const BY_EVENT = 'event'

/**
 * How long an organisation may be thought silent. What an endpoint misses in its first moments,
 * because another node had not heard of it, it is sent by the catching up after twice this time.
 */
const SILENT_MS = 5 * SECOND_MS
export const CATCH_UP_MS = 2 * SILENT_MS
const SILENT_MAX = 100_000

export type FanOutDeps = { clock: Clock; notices: Notices; plans: Plans }

export type FanOut = ReturnType<typeof createFanOut>

/** Writes down who is to hear of events, in the transaction that wrote the events. */
export function createFanOut(deps: FanOutDeps) {
  const silent = createCache<true>({
    clock: deps.clock,
    entriesMax: SILENT_MAX,
    ttlMs: SILENT_MS,
  })
  deps.notices.on(ENDPOINTS_TOPIC, (orgId) => silent.delete(orgId))
  deps.notices.onReset(() => silent.clear())

  const hearing = async (tx: Db, events: readonly WrittenEvent[]): Promise<Endpoint[]> => {
    const all = new Set(events.map((event) => event.orgId))
    const orgIds = [...all].filter((orgId) => silent.get(orgId) === undefined)
    if (orgIds.length === 0) return []
    const endpoints = await createEndpointStore(tx).listHearing(orgIds)
    const heard = new Set(endpoints.map((endpoint) => endpoint.orgId))
    for (const orgId of orgIds) if (!heard.has(orgId)) silent.set(orgId, true)
    return endpoints
  }

  /** The plan as the event tells it; a canceled one counts as Free (04 §2.6). */
  const followPlan = async (tx: Db, event: WrittenEvent, when: 'gained' | 'lost') => {
    if (event.type !== 'subscription.status_changed') return
    const { status, new_plan_id: planId } = event.data
    const isEntitled = status !== 'canceled' && deps.plans.includesWebhooks(planId)
    if (isEntitled !== (when === 'gained')) return
    await createEndpointStore(tx).setEntitled(event.orgId, isEntitled)
    await changed(tx, event.orgId)
  }

  /** An organisation's endpoints are other than they were. */
  const changed = async (tx: Db, orgId: string): Promise<void> => {
    silent.delete(orgId)
    await deps.notices.publish(tx, ENDPOINTS_TOPIC, orgId)
  }

  return {
    /** 04 §5.5: whoever loses webhooks still hears of that, and whoever gains them does. */
    async follow(tx: Db, events: readonly WrittenEvent[]): Promise<void> {
      for (const event of events) await followPlan(tx, event, 'gained')
      const endpoints = await hearing(tx, events)
      if (endpoints.length > 0) await write(deps, tx, { events, endpoints, cause: BY_EVENT })
      for (const event of events) await followPlan(tx, event, 'lost')
    },

    write: (tx: Db, writing: Writing): Promise<void> => write(deps, tx, writing),

    changed,

    /** Once that is committed: what was read meanwhile may be older. */
    forget: (orgId: string): void => silent.delete(orgId),
  }
}

type Writing = {
  events: readonly WrittenEvent[]
  endpoints: readonly Endpoint[]
  cause: string
}

async function write(deps: FanOutDeps, tx: Db, writing: Writing): Promise<void> {
  const { events, endpoints, cause } = writing
  const wanted = events.flatMap((event) => {
    const names = namesOf(event)
    const hear = endpoints.filter(
      (one) => one.orgId === event.orgId && isSubscribed(one.eventTypes, names),
    )
    return hear.length === 0 ? [] : [{ event, hear }]
  })
  if (wanted.length === 0) return
  const now = deps.clock.now()
  const store = createDeliveryStore(tx)
  const messages = wanted.map(({ event }) => ({
    eventId: event.id,
    orgId: event.orgId,
    body: bodyOf(event),
  }))
  await store.insertMessages(messages, now)
  const deliveries = wanted.flatMap(({ event, hear }) =>
    hear.map(({ endpointId }) => ({
      deliveryId: newId('whd'),
      eventId: event.id,
      endpointId,
      orgId: event.orgId,
      eventType: event.type,
      cause,
    })),
  )
  const made = await store.insertPending(deliveries, now)
  if (made > 0) await deps.notices.publish(tx, DUE_TOPIC, '')
}
