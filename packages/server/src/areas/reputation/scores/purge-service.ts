import { TREND_WINDOW_MS } from '@touchstone/protocol/score'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeByOwners, purgeInPages } from '../../../kernel/db.ts'
import { createPurgeStore } from './purge-store.ts'

/** 04 §6.3: how old a computation may be and still be published. */
export const PAST_MS = DAY_MS

/** Page by page, so that nothing is held for long. */
export function createPurgeService({ db }: { db: Db }) {
  const store = createPurgeStore(db)
  return {
    purgePast: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) => store.purgePast(later(now, -PAST_MS), rowsMax)),

    /** A trend asks for the last entry from before its window, and for nothing older. */
    async purgeLog(now: Date): Promise<number> {
      const before = later(now, -TREND_WINDOW_MS - DAY_MS)
      return purgeByOwners(store.listAfter, (agentIds) => store.purgeLog(agentIds, before))
    },
  }
}
