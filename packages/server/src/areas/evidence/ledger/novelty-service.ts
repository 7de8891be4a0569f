import {
  type HashSlot,
  NO_HASHES,
  type RecentHashes,
  slotsSince,
} from '@touchstone/protocol/evidence'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Head } from './head.ts'
import { createNoveltyStore } from './novelty-store.ts'

/** With about 5 KB each. */
const AGENTS_MAX = 2000

type ByAgent = ReadonlyMap<string, RecentHashes>

/**
 * The hashes of agents' last texts. They are cached with the end of the chain they belong to: a chain
 * that has grown elsewhere, or whose growth was rolled back, ends with a different hash.
 */
export function createNoveltyService({ clock }: { clock: Clock }) {
  const cache = createCache<{ chainHash: string; recent: RecentHashes }>({
    clock,
    entriesMax: AGENTS_MAX,
    ttlMs: HOUR_MS,
  })
  return {
    /** The chains must be locked. */
    async load(tx: Db, heads: Iterable<Head>): Promise<Map<string, RecentHashes>> {
      const loaded = new Map<string, RecentHashes>()
      const missing: string[] = []
      for (const { agentId, chainHash } of heads) {
        const cached = cache.get(agentId)
        if (cached !== undefined && cached.chainHash === chainHash) {
          loaded.set(agentId, cached.recent)
        } else if (chainHash !== null) {
          missing.push(agentId)
        }
      }
      if (missing.length === 0) return loaded
      const stored = await createNoveltyStore(tx).recent(missing)
      for (const agentId of missing) loaded.set(agentId, stored.get(agentId) ?? NO_HASHES)
      return loaded
    },

    /** The slots to be stored with the new heads. */
    changes(before: ByAgent, after: ByAgent): (HashSlot & { agentId: string })[] {
      return [...after].flatMap(([agentId, recent]) => {
        const { total } = before.get(agentId) ?? NO_HASHES
        return slotsSince(total, recent).map(({ slot, first, hashes }) => ({
          agentId,
          slot,
          first,
          hashes,
        }))
      })
    },

    /** May be called before the transaction commits. */
    remember(heads: Iterable<Head>, after: ByAgent): void {
      for (const { agentId, chainHash } of heads) {
        const recent = after.get(agentId)
        if (recent !== undefined && chainHash !== null) cache.set(agentId, { chainHash, recent })
      }
    },
  }
}

export type NoveltyService = ReturnType<typeof createNoveltyService>
