import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createConscienceStore, type InForce } from './store.ts'

/** Word of a change, so that no node goes on with what was. */
const TOPIC = 'conscience'

/** Organisations whose values stay in memory. */
const KEPT_MAX = 10_000

/** Of an organisation that never laid anything down. */
const NOTHING: InForce = { revision: 0, values: [], replacesBase: false }

export type ValuesInForce = ReturnType<typeof createValuesInForce>

/** What an organisation's agents are held to, asked for every decision of theirs. */
export function createValuesInForce({ clock, notices }: { clock: Clock; notices: Notices }) {
  const kept = createCache<InForce>({ clock, entriesMax: KEPT_MAX, ttlMs: MINUTE_MS })
  // Counts changes: what was read before one and arrives after it is stale and not to be kept.
  let changes = 0
  const forget = (orgId: string): void => {
    changes += 1
    kept.delete(orgId)
  }
  notices.on(TOPIC, forget)
  notices.onReset(() => {
    changes += 1
    kept.clear()
  })
  return {
    /** Through `db` when it is not known: a transaction must not wait for a second connection. */
    async find(db: Db, orgId: string): Promise<InForce> {
      const known = kept.get(orgId)
      if (known !== undefined) return known
      const changesBefore = changes
      const read = (await createConscienceStore(db).findInForce(orgId)) ?? NOTHING
      if (changes === changesBefore) kept.set(orgId, read)
      return read
    },

    /** To all nodes, once the transaction is through. */
    tell: (tx: Db, orgId: string): Promise<void> => notices.publish(tx, TOPIC, orgId),

    /** At once on this node, which has seen the transaction through. */
    forget,
  }
}
