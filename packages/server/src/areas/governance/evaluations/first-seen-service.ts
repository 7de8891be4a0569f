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

type Pair = Omit<Sighting, 'at'>

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

  const query = createSharedQuery(async (pairs) => {
    const stored = await createEvaluationStore(db).findSightings(pairs)
    remember(stored)
    return stored
  })

  const readStored = async (missing: readonly Pair[], found: FoundTools) => {
    const stored = await query(missing)
    for (const { agentId, tool } of missing) {
      const ms = stored.get(keyOf(agentId, tool))
      if (ms !== undefined) found.get(agentId)?.set(tool, ms)
    }
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

    /** Returns the time in milliseconds of each known tool, by agent. Runs one query at most, which concurrent reads share. */
    async read(uses: readonly ToolUse[]): Promise<FoundTools> {
      const found: FoundTools = new Map()
      const missing: Pair[] = []
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

/**
 * Joins the questions of one turn of the event loop into one query, because the calls of a batch are
 * evaluated one by one, and each would take a connection of its own.
 */
function createSharedQuery(findAll: (pairs: readonly Pair[]) => Promise<readonly Sighting[]>) {
  let asked: Map<string, Pair> | undefined
  let answer: Promise<ReadonlyMap<string, number>> | undefined

  const run = async (): Promise<ReadonlyMap<string, number>> => {
    const pairs = new Map<string, Pair>()
    asked = pairs
    await new Promise((resolve) => setImmediate(resolve))
    asked = undefined
    const stored = await findAll([...pairs.values()])
    return new Map(stored.map(({ agentId, tool, at }) => [keyOf(agentId, tool), at.getTime()]))
  }

  return (pairs: readonly Pair[]): Promise<ReadonlyMap<string, number>> => {
    if (asked === undefined || answer === undefined) answer = run()
    for (const pair of pairs) asked?.set(keyOf(pair.agentId, pair.tool), pair)
    return answer
  }
}

/** Unambiguous, because ids of agents have no spaces. */
function keyOf(agentId: string, tool: string): string {
  return `${agentId} ${tool}`
}
