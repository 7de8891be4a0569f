import { createKnown } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createAgentStore, type Mode, type Status } from './store.ts'

/** Word that what is known of an agent is over. */
const TOPIC = 'agent'

/** Agents of which this is remembered. */
const KNOWN_MAX = 50_000

/** Where more change at once, a word for each would cost more than reading some again. */
const TOLD_MAX = 100

export type KnownAgent = { orgId: OrgId; status: Status; enforcementMode: Mode }

export type KnownAgents = ReturnType<typeof createKnownAgents>

/** The little that is asked of an agent before everything it does, from memory. */
export function createKnownAgents(deps: { db: Db; clock: Clock; notices: Notices }) {
  const { db, clock, notices } = deps
  const store = createAgentStore(db)
  const limits = { entriesMax: KNOWN_MAX, ttlMs: MINUTE_MS }
  const known = createKnown<KnownAgent>({ clock, notices, topic: TOPIC, ...limits })
  const read = (agentId: string): Promise<KnownAgent | undefined> =>
    known.load(agentId, () => store.findKnown(agentId))
  return {
    find: async (agentId: string): Promise<KnownAgent | undefined> =>
      known.get(agentId) ?? read(agentId),

    /** To all nodes, once the transaction is through. */
    async tell(tx: Db, agentIds: readonly string[]): Promise<void> {
      if (agentIds.length > TOLD_MAX) return known.tellAll(tx)
      for (const agentId of agentIds) await known.tell(tx, agentId)
    },

    forget: known.forget,
    onChange: known.onChange,
  }
}
