import { TREND_WINDOW_MS } from '@touchstone/protocol/score'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeByOwners, purgeInPages } from '../../../kernel/db.ts'
import { createPurgeStore } from './purge-store.ts'

/** Maximum age of a computation that may still be published on the chain (spec: chain §3). */
export const PAST_MS = DAY_MS

/** Deletes in pages, so that no lock is held for long. */
export function createPurgeService({ db }: { db: Db }) {
  const store = createPurgeStore(db)
  return {
    purgePast: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) => store.purgePast(later(now, -PAST_MS), rowsMax)),

    /** A trend needs the last entry before its window, and nothing older. */
    async purgeLog(now: Date): Promise<number> {
      const before = later(now, -TREND_WINDOW_MS - DAY_MS)
      return purgeByOwners(store.listAfter, (agentIds) => store.purgeLog(agentIds, before))
    },
  }
}
