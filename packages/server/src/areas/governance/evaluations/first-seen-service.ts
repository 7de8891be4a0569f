import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createEvaluationStore, type Sighting } from './store.ts'

/** Notifies all nodes of an erasure, so that they clear their caches. */
const TOPIC = 'policy_first_seen'

/** Pairs of agent and tool. Names are short, so the cache takes some ten megabytes. */
const SIGHTINGS_MAX = 100_000

export type FirstSeen = ReturnType<typeof createFirstSeen>

type FoundTools = Map<string, Map<string, number>>

/** Tools that an agent uses in one call or trace. */
export type ToolUse = { agentId: string; tools: readonly string[] }

/**
 * When agents first used their tools. A sighting never changes, so it is cached without
 * revalidation. Absence is not cached: an unseen tool is queried each time until it is recorded.
 */
export function createFirstSeen(deps: { db: Db; clock: Clock; notices: Notices }) {
  const { db, clock, notices } = deps
  const cache = createCache<number>({ clock, entriesMax: SIGHTINGS_MAX, ttlMs: HOUR_MS })
  notices.on(TOPIC, cache.clear)
  notices.onReset(cache.clear)

  const remember = (sightings: readonly Sighting[]): void => {
    for (const { agentId, tool, at } of sightings) cache.set(keyOf(agentId, tool), at.getTime())
  }

  const readStored = async (missing: readonly Omit<Sighting, 'at'>[], found: FoundTools) => {
    const stored = await createEvaluationStore(db).findSightings(missing)
    remember(stored)
    for (const { agentId, tool, at } of stored) found.get(agentId)?.set(tool, at.getTime())
    return found
  }

  return {
    /** Reads one agent from the cache alone; undefined unless every tool is cached. */
    getCached({ agentId, tools }: ToolUse): ReadonlyMap<string, number> | undefined {
      const found = new Map<string, number>()
      for (const tool of tools) {
        const ms = cache.get(keyOf(agentId, tool))
        if (ms === undefined) return undefined
        found.set(tool, ms)
      }
      return found
    },

    /** Returns the time in milliseconds of each known tool, by agent. Runs one query at most. */
    async read(uses: readonly ToolUse[]): Promise<FoundTools> {
      const found: FoundTools = new Map()
      const missing: Omit<Sighting, 'at'>[] = []
      for (const { agentId, tools } of uses) {
        const ofAgent = found.get(agentId) ?? new Map<string, number>()
        found.set(agentId, ofAgent)
        for (const tool of new Set(tools)) {
          const ms = cache.get(keyOf(agentId, tool))
          if (ms === undefined) missing.push({ agentId, tool })
          else ofAgent.set(tool, ms)
        }
      }
      return missing.length === 0 ? found : readStored(missing, found)
    },

    /** Caches new sightings; to be called after commit. */
    remember,

    /** Runs in the transaction that erases an agent. Ids are not reused. */
    invalidateErased: (tx: Db, agentId: string): Promise<void> =>
      notices.publish(tx, TOPIC, agentId),
  }
}

/** Unambiguous, because ids of agents have no spaces. */
function keyOf(agentId: string, tool: string): string {
  return `${agentId} ${tool}`
}
