import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { announce, SCORES_TOPIC } from './compute-service.ts'
import type { Agents, RatedAgent } from './ports.ts'

const VIEWS_MAX = 20_000

/** What was made of an agent once, and whose it is. */
type View<Made> = { orgId: string; visibility: RatedAgent['visibility']; made: Map<string, Made> }

/** What a caller gets to see, and whether others do not. */
export type Seen<Shown> = { made: Shown; isPrivate: boolean }

/** Hot reads are answered from what was made before, until something changes. */
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
  /** How often something changed: what was begun before the last time may already be old. */
  let changes = 0
  const forget = (agentId: string) => {
    changes += 1
    if (agentId === '*') views.clear()
    else views.delete(agentId)
  }
  deps.notices.on(SCORES_TOPIC, forget)
  deps.notices.onReset(() => forget('*'))

  const remember = ({ agentId, orgId, visibility }: RatedAgent, kind: string, made: Made) => {
    const known = views.get(agentId)
    if (known !== undefined) known.made.set(kind, made)
    else views.set(agentId, { orgId, visibility, made: new Map([[kind, made]]) })
  }

  return {
    forget,

    /** Name, visibility or status of agents changed: what was made of them is no longer right. */
    async changed(tx: Db, agentIds: readonly string[]): Promise<void> {
      for (const agentId of agentIds) forget(agentId)
      await announce(deps.notices, tx, agentIds)
    },

    /** What is there for everybody, without a look elsewhere. */
    atHand(agentId: string, kind: string): Made | undefined {
      const known = views.get(agentId)
      return known === undefined || known.visibility === 'private'
        ? undefined
        : known.made.get(kind)
    },

    /**
     * What `make` gives for an agent, made once and kept until something changes. `keep` says
     * whether it may be: what is counted live must not be.
     */
    async view(
      agentId: string,
      orgIds: readonly string[],
      kind: string,
      make: (agent: RatedAgent) => Promise<{ made: Made; keep: boolean }>,
    ): Promise<Seen<Made>> {
      const known = views.get(agentId)
      const isPrivate = known?.visibility === 'private'
      if (known !== undefined && (!isPrivate || orgIds.includes(known.orgId))) {
        const made = known.made.get(kind)
        if (made !== undefined) return { made, isPrivate }
      }
      const changesBefore = changes
      const { agent } = await deps.agents.getShown(agentId, orgIds)
      const { made, keep } = await make(agent)
      // INVARIANT: what was read before a change is not kept after it.
      if (keep && changes === changesBefore) remember(agent, kind, made)
      return { made, isPrivate: agent.visibility === 'private' }
    },
  }
}
