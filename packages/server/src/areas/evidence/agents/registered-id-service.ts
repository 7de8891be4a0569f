import { canonicalAgentId } from '@touchstone/protocol/identifiers'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, isDatabaseDown } from '../../../kernel/db.ts'
import { createAgentStore } from './store.ts'

/** Cache capacity. */
const IDS_MAX = 50_000

/**
 * Finds the id under which an agent is registered, because ids are kept as given and compared in
 * canonical form (spec: provenance §6). Agents of version 0.1 that share a canonical form are each
 * found by their exact id only.
 *
 * Entries need no invalidation: no id can be registered that equals another in canonical form, and
 * an erased one is never used again.
 */
export function createRegisteredIds(deps: { db: Db; clock: Clock }) {
  const store = createAgentStore(deps.db)
  const known = createCache<string>({
    clock: deps.clock,
    entriesMax: IDS_MAX,
    ttlMs: MINUTE_MS,
  })
  const load = async (given: readonly string[]): Promise<void> => {
    const canonicalIds = [...new Set(given.map(canonicalAgentId))]
    const byCanonical = new Map<string, string[]>()
    for (const { agentId, canonicalId } of await store.findByCanonicalId(canonicalIds)) {
      byCanonical.set(canonicalId, [...(byCanonical.get(canonicalId) ?? []), agentId])
    }
    for (const agentId of given) {
      const found = byCanonical.get(canonicalAgentId(agentId)) ?? []
      const registered = found.length === 1 ? found[0] : found.find((one) => one === agentId)
      if (registered !== undefined) known.set(agentId, registered)
    }
  }
  return {
    /** The registered id if it is cached. */
    get: known.get,

    /** In the order given; an id of no agent stays as it is, and so do all that cannot be looked up. */
    async find(given: readonly string[]): Promise<string[]> {
      const missing = given.filter((agentId) => known.get(agentId) === undefined)
      if (missing.length > 0) {
        // Answers from memory need no database; everything else fails at the next statement.
        await load(missing).catch((err: unknown) => {
          if (!isDatabaseDown(err)) throw err
        })
      }
      return given.map((agentId) => known.get(agentId) ?? agentId)
    },
  }
}
