import { createCache } from '../../../kernel/cache.ts'
import { type Clock, DAY_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { createKindStore, type StoredKind } from './kind-store.ts'

const KINDS_MAX = 100_000

/** The ids of kinds that were used lately. */
export function createKindIds({ db, clock }: { db: Db; clock: Clock }) {
  // Read again after a day, which marks the kind as used: purges delete unused kinds.
  const cache = createCache<number>({ clock, entriesMax: KINDS_MAX, ttlMs: DAY_MS })
  return {
    /**
     * Stores the kinds that are new, and returns the id of each key. The ids are complete even if an
     * entry of the cache expires or is evicted while others are read.
     */
    async of(kinds: ReadonlyMap<string, () => StoredKind>): Promise<ReadonlyMap<string, number>> {
      const ids = new Map<string, number>()
      const missing: string[] = []
      for (const key of kinds.keys()) {
        const id = cache.get(key)
        if (id === undefined) missing.push(key)
        else ids.set(key, id)
      }
      if (missing.length === 0) return ids
      const wanted = missing.map((key) => kinds.get(key)?.() ?? absent())
      const stored = await createKindStore(db).idsOf(wanted, clock.now())
      for (const [at, key] of missing.entries()) {
        const id = stored[at] ?? absent()
        cache.set(key, id)
        ids.set(key, id)
      }
      return ids
    },
  }
}

function absent(): never {
  throw new Error('a kind of decisions was neither stored nor found')
}
