import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createDeliveryStore } from './delivery-store.ts'
import { BY_EVENT, DUE_TOPIC } from './fan-out-service.ts'
import type { Outbound } from './ports.ts'
import type { Secrets } from './secret-service.ts'
import { createEndpointStore } from './store.ts'

export type ChannelDeps = {
  db: Db
  clock: Clock
  notices: Notices
  outbound: Outbound
  secrets: Secrets
}

/**
 * Endpoints that get the messages of another feature instead of events. The queue holds a reference,
 * and the feature renders the message when it is sent, so that nothing confidential is stored here.
 */
export function createChannels(deps: ChannelDeps) {
  return {
    assertAllowed: deps.outbound.assertAllowed,

    async urlsOf(orgId: string): Promise<ReadonlyMap<string, string>> {
      const now = deps.clock.now()
      const found = await createEndpointStore(deps.db).listChannels(orgId)
      return new Map(
        found.map(({ channel, endpointId, secrets }) => [
          channel,
          deps.secrets.open(endpointId, secrets, now).secret,
        ]),
      )
    },

    /** Null removes the endpoint and its deliveries. */
    async set(
      tx: Db,
      org: { orgId: string; accountId: string },
      { channel, url }: { channel: string; url: string | null },
    ): Promise<void> {
      const store = createEndpointStore(tx)
      await store.lockOrg(org.orgId)
      const before = (await store.listChannels(org.orgId)).find((one) => one.channel === channel)
      if (url === null) {
        if (before === undefined) return
        await store.delete(before.endpointId)
        await createDeliveryStore(tx).deleteOfEndpoint(org.orgId, before.endpointId)
        return
      }
      const now = deps.clock.now()
      const endpointId = before?.endpointId ?? newId('whe')
      await store.saveChannel({
        ...org,
        endpointId,
        channel,
        origin: new URL(url).origin,
        urlSealed: deps.secrets.seal(endpointId, url),
        now,
      })
    },

    async send(
      tx: Db,
      message: {
        orgId: string
        channels: readonly string[]
        type: string
        reference: Readonly<Record<string, string>>
      },
    ): Promise<void> {
      const { orgId, channels, type: eventType, reference } = message
      const receivers = (await createEndpointStore(tx).listChannels(orgId)).filter(
        ({ channel, isActive }) => isActive && channels.includes(channel),
      )
      if (receivers.length === 0) return
      const now = deps.clock.now()
      const eventId = newId('msg')
      const store = createDeliveryStore(tx)
      await store.insertMessages([{ eventId, orgId, body: JSON.stringify(reference) }], now)
      const deliveries = receivers.map(({ endpointId }) => ({
        deliveryId: newId('whd'),
        eventId,
        endpointId,
        orgId,
        eventType,
        cause: BY_EVENT,
      }))
      await store.insertPending(deliveries, now)
      await deps.notices.publish(tx, DUE_TOPIC, '')
    },
  }
}
