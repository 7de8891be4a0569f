import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, isDatabaseDown } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Agents, RatedAgent } from './ports.ts'
import { publishInvalidation, SCORES_TOPIC } from './publication-service.ts'

const VIEWS_MAX = 20_000
/** How old a view may be that is shown while the database cannot be asked. */
const STALE_MS_MAX = 10 * MINUTE_MS

/** The cached representations of an agent by kind, with the fields that decide who may see them. */
type View<Made> = {
  orgId: string
  visibility: RatedAgent['visibility']
  made: Map<string, Made>
  /** When it was read. */
  atMs: number
}

/**
 * A representation shown to a caller. `isPrivate` if it must not be cached for other callers. `staleMs` is
 * its age if it may have changed since.
 */
export type Seen<Shown> = { made: Shown; isPrivate: boolean; staleMs?: number }

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
  /** Also those that a change may have been missed of, for when the database cannot be asked. */
  const lastViews = createCache<View<Made>>({
    clock: deps.clock,
    entriesMax: VIEWS_MAX,
    ttlMs: STALE_MS_MAX,
  })
  /** Number of invalidations so far, to detect one that races with a read. */
  let invalidations = 0
  /** `*` stands for all agents. */
  const invalidate = (agentId: string) => {
    invalidations += 1
    for (const cache of [views, lastViews]) {
      if (agentId === '*') cache.clear()
      else cache.delete(agentId)
    }
  }
  deps.notices.on(SCORES_TOPIC, invalidate)
  deps.notices.onReset(() => {
    invalidations += 1
    views.clear()
  })

  const store = ({ agentId, orgId, visibility }: RatedAgent, kind: string, made: Made) => {
    const cached = views.get(agentId)
    if (cached !== undefined) {
      cached.made.set(kind, made)
      return
    }
    const view = { orgId, visibility, made: new Map([[kind, made]]), atMs: deps.clock.nowMs() }
    views.set(agentId, view)
    lastViews.set(agentId, view)
  }

  const findIn = (
    cache: typeof views,
    agentId: string,
    orgIds: readonly string[],
    kind: string,
  ) => {
    const cached = cache.get(agentId)
    const made = cached?.made.get(kind)
    if (cached === undefined || made === undefined) return undefined
    const isPrivate = cached.visibility === 'private'
    if (isPrivate && !orgIds.includes(cached.orgId)) return undefined
    return { made, isPrivate, ageMs: deps.clock.nowMs() - cached.atMs }
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
      const cached = findIn(views, agentId, orgIds, kind)
      if (cached !== undefined) return { made: cached.made, isPrivate: cached.isPrivate }
      const invalidationsBefore = invalidations
      try {
        const { agent } = await deps.agents.getShown(agentId, orgIds)
        const { made, keep } = await make(agent)
        // INVARIANT: data read before an invalidation is not cached after it.
        if (keep && invalidations === invalidationsBefore) store(agent, kind, made)
        return { made, isPrivate: agent.visibility === 'private' }
      } catch (err) {
        const last = isDatabaseDown(err) ? findIn(lastViews, agentId, orgIds, kind) : undefined
        if (last === undefined) throw err
        return { made: last.made, isPrivate: last.isPrivate, staleMs: last.ageMs }
      }
    },
  }
}
