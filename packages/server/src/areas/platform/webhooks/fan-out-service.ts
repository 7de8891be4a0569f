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

/** Notice topics between nodes: an organisation's endpoints changed; deliveries are due. */
export const ENDPOINTS_TOPIC = 'webhook_endpoint'
export const DUE_TOPIC = 'webhook_due'

/** Cause of a delivery that the event itself triggered, not a redelivery or replay. */
export const BY_EVENT = 'event'

/**
 * How long a node caches that an organisation has no endpoints. A new endpoint misses events on
 * nodes with a stale cache; the catch-up job delivers them after twice this time.
 */
const NO_ENDPOINTS_MS = 5 * SECOND_MS
export const CATCH_UP_MS = 2 * NO_ENDPOINTS_MS
const NO_ENDPOINTS_MAX = 100_000

export type FanOutDeps = { clock: Clock; notices: Notices; plans: Plans }

export type FanOut = ReturnType<typeof createFanOut>

/** Inserts the deliveries of events, in the transaction that writes the events. */
export function createFanOut(deps: FanOutDeps) {
  const withoutEndpoints = createCache<true>({
    clock: deps.clock,
    entriesMax: NO_ENDPOINTS_MAX,
    ttlMs: NO_ENDPOINTS_MS,
  })
  deps.notices.on(ENDPOINTS_TOPIC, (orgId) => withoutEndpoints.delete(orgId))
  deps.notices.onReset(() => withoutEndpoints.clear())

  const listReceiving = async (tx: Db, events: readonly WrittenEvent[]): Promise<Endpoint[]> => {
    const all = new Set(events.map((event) => event.orgId))
    const orgIds = [...all].filter((orgId) => withoutEndpoints.get(orgId) === undefined)
    if (orgIds.length === 0) return []
    const endpoints = await createEndpointStore(tx).listReceiving(orgIds)
    const receiving = new Set(endpoints.map((endpoint) => endpoint.orgId))
    for (const orgId of orgIds) if (!receiving.has(orgId)) withoutEndpoints.set(orgId, true)
    return endpoints
  }

  /** Applies the plan in the event; a canceled one counts as Free (spec: platform §2.6). */
  const applyPlan = async (tx: Db, event: WrittenEvent, when: 'gained' | 'lost') => {
    if (event.type !== 'subscription.status_changed') return
    const { status, new_plan_id: planId } = event.data
    const isEntitled = status !== 'canceled' && deps.plans.includesWebhooks(planId)
    if (isEntitled !== (when === 'gained')) return
    await createEndpointStore(tx).setEntitled(event.orgId, isEntitled)
    await changed(tx, event.orgId)
  }

  /** Invalidates every node's cache after a change of the organisation's endpoints. */
  const changed = async (tx: Db, orgId: string): Promise<void> => {
    withoutEndpoints.delete(orgId)
    await deps.notices.publish(tx, ENDPOINTS_TOPIC, orgId)
  }

  return {
    /**
     * An organisation gets the event of the plan change both when it loses webhooks and when it
     * gains them, so a gain applies before the fan-out and a loss after it (spec: platform §5.5).
     */
    async enqueue(tx: Db, events: readonly WrittenEvent[]): Promise<void> {
      for (const event of events) await applyPlan(tx, event, 'gained')
      const endpoints = await listReceiving(tx, events)
      if (endpoints.length > 0) await write(deps, tx, { events, endpoints, cause: BY_EVENT })
      for (const event of events) await applyPlan(tx, event, 'lost')
    },

    write: (tx: Db, writing: Writing): Promise<void> => write(deps, tx, writing),

    changed,

    /** Call after commit: a concurrent read before it may have cached the old state. */
    evict: (orgId: string): void => withoutEndpoints.delete(orgId),
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
    const receivers = endpoints.filter(
      (one) => one.orgId === event.orgId && isSubscribed(one.eventTypes, names),
    )
    return receivers.length === 0 ? [] : [{ event, receivers }]
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
  const deliveries = wanted.flatMap(({ event, receivers }) =>
    receivers.map(({ endpointId }) => ({
      deliveryId: newId('whd'),
      eventId: event.id,
      endpointId,
      orgId: event.orgId,
      eventType: event.type,
      cause,
    })),
  )
  const inserted = await store.insertPending(deliveries, now)
  if (inserted > 0) await deps.notices.publish(tx, DUE_TOPIC, '')
}
