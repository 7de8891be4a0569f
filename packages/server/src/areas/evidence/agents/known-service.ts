import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Mode, Status } from './agent.ts'
import { createAgentStore } from './store.ts'

/** The topic of invalidations. */
const TOPIC = 'agent'

/** Cache capacity. */
const KNOWN_MAX = 50_000

/** If more agents change at once, invalidating the whole cache costs less than one notice each. */
const NOTICES_MAX = 100

export type KnownAgent = { orgId: OrgId; status: Status; enforcementMode: Mode }

export type KnownAgents = ReturnType<typeof createKnownAgents>

/** Caches the fields of an agent that every request needs. */
export function createKnownAgents(deps: { db: Db; clock: Clock; notices: Notices }) {
  const { db, clock, notices } = deps
  const store = createAgentStore(db)
  const limits = { entriesMax: KNOWN_MAX, ttlMs: MINUTE_MS }
  const known = createSharedCache<KnownAgent>({ clock, notices, topic: TOPIC, ...limits })
  const read = (agentId: string): Promise<KnownAgent | undefined> =>
    known.load(agentId, () => store.findKnown(agentId))
  return {
    find: async (agentId: string): Promise<KnownAgent | undefined> =>
      known.get(agentId) ?? read(agentId),

    /** Invalidates the agents on all nodes after commit. */
    async invalidate(tx: Db, agentIds: readonly string[]): Promise<void> {
      if (agentIds.length > NOTICES_MAX) return known.invalidateAll(tx)
      for (const agentId of agentIds) await known.invalidate(tx, agentId)
    },

    evict: known.evict,
    onChange: known.onChange,
  }
}
