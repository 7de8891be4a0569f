import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Prompt } from '../../../kernel/promptly.ts'
import { createAgentStore, type Mode, type Status } from './store.ts'

/** Word that what is known of an agent is over; without an id, of all of them. */
const TOPIC = 'agent'

/** Agents of which this is remembered. */
const KNOWN_MAX = 50_000

/** Where more change at once, a word for each would cost more than reading some again. */
const TOLD_MAX = 100

export type KnownAgent = { orgId: string; status: Status; enforcementMode: Mode }

export type KnownAgents = ReturnType<typeof createKnownAgents>

/** The little that is asked of an agent before everything it does, from memory. */
export function createKnownAgents(deps: { db: Db; clock: Clock; notices: Notices }) {
  const { db, clock, notices } = deps
  const store = createAgentStore(db)
  const kept = createCache<KnownAgent>({ clock, entriesMax: KNOWN_MAX, ttlMs: MINUTE_MS })
  // Counts changes: what was read before one and arrives after it is stale and not to be kept.
  let changes = 0
  const forget = (agentId: string): void => {
    changes += 1
    if (agentId === '') kept.clear()
    else kept.delete(agentId)
  }
  notices.on(TOPIC, forget)
  notices.onReset(() => forget(''))
  const read = async (agentId: string): Promise<KnownAgent | undefined> => {
    const changesBefore = changes
    const found = await store.findKnown(agentId)
    if (found !== undefined && changes === changesBefore) kept.set(agentId, found)
    return found
  }
  return {
    find: (agentId: string): Prompt<KnownAgent | undefined> => kept.get(agentId) ?? read(agentId),

    /** To all nodes, once the transaction is through. */
    async tell(tx: Db, agentIds: readonly string[]): Promise<void> {
      const keys = agentIds.length > TOLD_MAX ? [''] : agentIds
      for (const key of keys) await notices.publish(tx, TOPIC, key)
    },

    /** At once on this node, which has seen the transaction through. */
    forget,
  }
}
