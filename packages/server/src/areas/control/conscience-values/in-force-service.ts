import { createKnown } from '../../../kernel/cache.ts'
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
  const limits = { entriesMax: KEPT_MAX, ttlMs: MINUTE_MS }
  const values = createKnown<InForce>({ clock, notices, topic: TOPIC, ...limits })
  return {
    /** Through `db` when it is not known: a transaction must not wait for a second connection. */
    async find(db: Db, orgId: string): Promise<InForce> {
      const read = async () => (await createConscienceStore(db).findInForce(orgId)) ?? NOTHING
      return values.get(orgId) ?? values.load(orgId, read)
    },

    tell: values.tell,
    forget: values.forget,
  }
}
