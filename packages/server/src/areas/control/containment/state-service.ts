import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { LogEntry } from './containment-log.ts'
import { createContainmentStore } from './store.ts'

/** Notification topic that invalidates the caches of all nodes. */
const TOPIC = 'containment'

/** Agents whose state is cached. */
const KEPT_MAX = 50_000

export type Free = { status: 'active' }

export type Contained = {
  status: 'paused' | 'killed'
  containedAt: Date
  containedBy: string
  reason: string | null
}

export type State = Free | Contained

/** The state set by the newest entry; an agent without entries was never contained. */
export function stateAfter(entry: LogEntry | undefined): State {
  if (entry === undefined || entry.newStatus === 'active') return { status: 'active' }
  return {
    status: entry.newStatus,
    containedAt: entry.createdAt,
    containedBy: entry.actor,
    reason: entry.reason,
  }
}

export type KnownStates = ReturnType<typeof createKnownStates>

/** Caches the containment state of agents, because every tool call needs it. */
export function createKnownStates(deps: { db: Db; clock: Clock; notices: Notices }) {
  const { db, clock, notices } = deps
  const store = createContainmentStore(db)
  const limits = { entriesMax: KEPT_MAX, ttlMs: MINUTE_MS }
  const states = createSharedCache<State>({ clock, notices, topic: TOPIC, ...limits })
  const read = (agentId: string): Promise<State> =>
    states.load(agentId, async () => stateAfter(await store.findLast(agentId)))
  return {
    find: async (agentId: string): Promise<State> => states.get(agentId) ?? read(agentId),
    invalidate: states.invalidate,
    evict: states.evict,
    onChange: states.onChange,
  }
}
