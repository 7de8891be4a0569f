import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createConscienceStore, type InForce } from './store.ts'

/** Notification topic that invalidates the caches of all nodes. */
const TOPIC = 'conscience'

/** Organisations whose values are cached. */
const KEPT_MAX = 10_000

/** Cached for organisations without conscience values. */
const NOTHING: InForce = { revision: 0, values: [], replacesBase: false }

export type ValuesInForce = ReturnType<typeof createValuesInForce>

/** Caches the values that apply to an organisation's agents, because every decision needs them. */
export function createValuesInForce({ clock, notices }: { clock: Clock; notices: Notices }) {
  const limits = { entriesMax: KEPT_MAX, ttlMs: MINUTE_MS }
  const values = createSharedCache<InForce>({ clock, notices, topic: TOPIC, ...limits })
  return {
    /** Reads through `db` on a cache miss: a transaction must not wait for a second connection. */
    async find(db: Db, orgId: string): Promise<InForce> {
      const read = async () => (await createConscienceStore(db).findInForce(orgId)) ?? NOTHING
      return values.get(orgId) ?? values.load(orgId, read)
    },

    invalidate: values.invalidate,
    evict: values.evict,
  }
}
