import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createEvaluationStore, type Sighting } from './store.ts'

/** Word of an erasure, after which nothing of the agent stays in memory. */
const TOPIC = 'policy_first_seen'

/** Pairs of agent and tool; names are short, so these are some ten megabytes. */
const SIGHTINGS_MAX = 100_000

export type FirstSeen = ReturnType<typeof createFirstSeen>

type FoundTools = Map<string, Map<string, number>>

/** Tools that an agent is about to use. */
export type ToolUse = { agentId: string; tools: readonly string[] }

/**
 * When agents were first seen with their tools. That never changes, so it is kept without asking
 * again. A tool that is not known is asked for each time, until it is recorded.
 */
export function createFirstSeen(deps: { db: Db; clock: Clock; notices: Notices }) {
  const { db, clock, notices } = deps
  const known = createCache<number>({ clock, entriesMax: SIGHTINGS_MAX, ttlMs: HOUR_MS })
  notices.on(TOPIC, known.clear)
  notices.onReset(known.clear)

  const note = (sightings: readonly Sighting[]): void => {
    for (const { agentId, tool, at } of sightings) known.set(keyOf(agentId, tool), at.getTime())
  }

  const readStored = async (missing: readonly Omit<Sighting, 'at'>[], found: FoundTools) => {
    const stored = await createEvaluationStore(db).findSightings(missing)
    note(stored)
    for (const { agentId, tool, at } of stored) found.get(agentId)?.set(tool, at.getTime())
    return found
  }

  return {
    /** The same for one agent, without the database; undefined unless every tool is cached. */
    known({ agentId, tools }: ToolUse): ReadonlyMap<string, number> | undefined {
      const found = new Map<string, number>()
      for (const tool of tools) {
        const ms = known.get(keyOf(agentId, tool))
        if (ms === undefined) return undefined
        found.set(tool, ms)
      }
      return found
    },

    /** For each agent the tools that are known, in milliseconds; asks the database once at most. */
    async read(uses: readonly ToolUse[]): Promise<FoundTools> {
      const found: FoundTools = new Map()
      const missing: Omit<Sighting, 'at'>[] = []
      for (const { agentId, tools } of uses) {
        const ofAgent = found.get(agentId) ?? new Map<string, number>()
        found.set(agentId, ofAgent)
        for (const tool of new Set(tools)) {
          const ms = known.get(keyOf(agentId, tool))
          if (ms === undefined) missing.push({ agentId, tool })
          else ofAgent.set(tool, ms)
        }
      }
      return missing.length === 0 ? found : readStored(missing, found)
    },

    /** Once they are committed. */
    note,

    /** In the transaction that erases an agent, whose id nobody gets again. */
    tellErased: (tx: Db, agentId: string): Promise<void> => notices.publish(tx, TOPIC, agentId),
  }
}

/** Ids of agents have no spaces. */
function keyOf(agentId: string, tool: string): string {
  return `${agentId} ${tool}`
}
