import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Agents, RatedAgent } from './ports.ts'
import { publishInvalidation, SCORES_TOPIC } from './publication-service.ts'

const VIEWS_MAX = 20_000

/** The cached representations of an agent by kind, with the fields that decide who may see them. */
type View<Made> = { orgId: string; visibility: RatedAgent['visibility']; made: Map<string, Made> }

/** A representation shown to a caller. `isPrivate` if it must not be cached for other callers. */
export type Seen<Shown> = { made: Shown; isPrivate: boolean }

/** Caches representations of agents for hot reads, until a notice invalidates them. */
export function createViews<Made>(deps: {
  clock: Clock
  notices: Notices
  agents: Pick<Agents, 'getShown'>
}) {
  const views = createCache<View<Made>>({
    clock: deps.clock,
    entriesMax: VIEWS_MAX,
    ttlMs: MINUTE_MS,
  })
  /** Number of invalidations so far, to detect one that races with a read. */
  let invalidations = 0
  /** `*` stands for all agents. */
  const invalidate = (agentId: string) => {
    invalidations += 1
    if (agentId === '*') views.clear()
    else views.delete(agentId)
  }
  deps.notices.on(SCORES_TOPIC, invalidate)
  deps.notices.onReset(() => invalidate('*'))

  const store = ({ agentId, orgId, visibility }: RatedAgent, kind: string, made: Made) => {
    const cached = views.get(agentId)
    if (cached !== undefined) cached.made.set(kind, made)
    else views.set(agentId, { orgId, visibility, made: new Map([[kind, made]]) })
  }

  return {
    invalidate,

    /** Invalidates the views of agents whose name, visibility or status changed, on all nodes. */
    async changed(tx: Db, agentIds: readonly string[]): Promise<void> {
      for (const agentId of agentIds) invalidate(agentId)
      await publishInvalidation(deps.notices, tx, agentIds)
    },

    /**
     * Returns the cached result of `make` for an agent, calling it on a cache miss. A result with
     * `keep: false` is not cached, because it contains live counts.
     */
    async view(
      agentId: string,
      orgIds: readonly string[],
      kind: string,
      make: (agent: RatedAgent) => Promise<{ made: Made; keep: boolean }>,
    ): Promise<Seen<Made>> {
      const cached = views.get(agentId)
      const isPrivate = cached?.visibility === 'private'
      if (cached !== undefined && (!isPrivate || orgIds.includes(cached.orgId))) {
        const made = cached.made.get(kind)
        if (made !== undefined) return { made, isPrivate }
      }
      const invalidationsBefore = invalidations
      const { agent } = await deps.agents.getShown(agentId, orgIds)
      const { made, keep } = await make(agent)
      // INVARIANT: data read before an invalidation is not cached after it.
      if (keep && invalidations === invalidationsBefore) store(agent, kind, made)
      return { made, isPrivate: agent.visibility === 'private' }
    },
  }
}
