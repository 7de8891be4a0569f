import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, DAY_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { isHold, LOOKED_AT_MAX } from './hold.ts'
import { isNudged, type Nudge, type Nudging, nudgeMessage } from './nudge.ts'
import type { Checkpoints } from './ports.ts'
import { createNudgeStore, type NewNudge } from './store.ts'

/** Undelivered nudges expire after a day (spec: control §2.1). */
const KEPT_MS = DAY_MS
/** Nudges per delivery (spec: control §2.1). */
const DELIVERED_MAX = 5

/** Notification topic: an agent has pending nudges. */
const TOPIC = 'nudge'
/** Agents whose pending state is cached. */
const KNOWN_MAX = 50_000

export type EnforcementDeps = {
  db: Db
  clock: Clock
  notices: Notices
  checkpoints: Checkpoints
}

type Asked = { agentId: string; sessionId: string | undefined; now: Date }

export type EnforcementService = ReturnType<typeof createEnforcementService>

/** The consequences of findings for an agent: holds on its calls, and nudges. */
export function createEnforcementService(deps: EnforcementDeps) {
  const pending = createPending(deps)
  const findNewest = createSharedFind(deps.checkpoints)
  const deliver = async ({ agentId, sessionId, now }: Asked, since: Date) => {
    const delivered = await transact(deps.db, (tx) =>
      createNudgeStore(tx).deliver({ agentId, sessionId }, { since, now, limit: DELIVERED_MAX }),
    )
    if (delivered.length > 0) pending.evict(agentId)
    return delivered
  }
  return {
    /** Never cached, so that a hold ends as soon as its cause is superseded. */
    async isHeld({ agentId, sessionId, now }: Asked): Promise<boolean> {
      const newest = await findNewest(agentId, sessionId)
      return isHold(newest, { ofSession: sessionId !== undefined, now })
    },

    /** Whether any nudge is pending for the agent, in any session; cached. */
    hasNudges: (agentId: string, now: Date): Promise<boolean> =>
      pending.has(agentId, later(now, -KEPT_MS)),
    onNudgeChange: pending.onChange,

    /** Returns pending nudges, oldest first, and marks them as delivered. */
    async takeNudges(asked: Asked): Promise<readonly Nudge[]> {
      const since = later(asked.now, -KEPT_MS)
      return (await pending.has(asked.agentId, since)) ? deliver(asked, since) : []
    },

    /** Nudges that were taken and did not reach the agent wait for its next call. */
    async giveBack(agentId: string, nudgeIds: readonly string[]): Promise<void> {
      await transact(deps.db, async (tx) => {
        await createNudgeStore(tx).undeliver(agentId, nudgeIds)
        await pending.invalidate(tx, agentId)
      })
      pending.evict(agentId)
    },

    watcher: createWatcher(deps, pending),

    /** Deletes delivered and expired nudges. */
    async purge(now: Date): Promise<number> {
      const before = later(now, -KEPT_MS)
      return purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createNudgeStore(tx).deleteBefore(before, rowsMax)),
      )
    },

    /** Erases the agent's nudges. */
    erase: (tx: Db, agentId: AgentId): Promise<void> => createNudgeStore(tx).deleteOfAgent(agentId),
  }
}

/** Calls that ask in the same turn of the event loop, such as those of a batch, share one query. */
function createSharedFind(checkpoints: Checkpoints) {
  const begun = new Map<string, ReturnType<Checkpoints['findNewest']>>()
  return (agentId: string, sessionId: string | undefined) => {
    const key = JSON.stringify([agentId, sessionId])
    const known = begun.get(key)
    if (known !== undefined) return known
    const found = checkpoints.findNewest({ agentId, sessionId, lookedAtMax: LOOKED_AT_MAX })
    const forget = () => void begun.delete(key)
    begun.set(key, found)
    setImmediate(forget)
    // Registered before its callers wait, so that none of them asks again and shares what is known.
    found.then(forget, forget)
    return found
  }
}

type Pending = ReturnType<typeof createPending>

/** Caches whether an agent has pending nudges, because every tool call asks. */
function createPending({ db, clock, notices }: EnforcementDeps) {
  const limits = { entriesMax: KNOWN_MAX, ttlMs: MINUTE_MS }
  const known = createSharedCache<boolean>({ clock, notices, topic: TOPIC, ...limits })
  const read = (agentId: string, since: Date): Promise<boolean> =>
    known.load(agentId, () => createNudgeStore(db).hasPending(agentId, since))
  return {
    has: async (agentId: string, since: Date): Promise<boolean> =>
      known.get(agentId) ?? read(agentId, since),
    invalidate: known.invalidate,
    evict: known.evict,
    onChange: known.onChange,
  }
}

type Arriving = {
  agent: {
    agentId: string
    enforcementMode: 'observe' | 'nudge' | 'enforce'
    nudging: Nudging
  }
  verdict: 'clear' | 'review_needed' | 'boundary_violation'
}

type Stored = Arriving & {
  checkpointId: string
  sessionId: string
  position: number
  violationType: string | null
  severity: string | null
  notClear: number
}

/** Queues nudges in the transaction that stores the checkpoints they are about. */
function createWatcher(deps: EnforcementDeps, pending: Pending) {
  return {
    async follow(tx: Db, stored: readonly Stored[]): Promise<void> {
      const createdAt = deps.clock.now()
      const nudges = stored.filter(canBeNudged).flatMap((one) => nudgeAbout(one, createdAt))
      if (nudges.length === 0) return
      await createNudgeStore(tx).insertAll(nudges)
      for (const agentId of new Set(nudges.map((nudge) => nudge.agentId))) {
        await pending.invalidate(tx, agentId)
      }
    },

    settled(stored: readonly Arriving[]): void {
      for (const { agent } of stored.filter(canBeNudged)) pending.evict(agent.agentId)
    },
  }
}

function canBeNudged({ agent, verdict }: Arriving): boolean {
  const { enforcementMode: mode, nudging } = agent
  return verdict !== 'clear' && mode !== 'observe' && nudging.strategy !== 'off'
}

function nudgeAbout(stored: Stored, createdAt: Date): NewNudge[] {
  const { agent, checkpointId, sessionId, position, notClear } = stored
  const nudgeId = newId('ndg')
  if (!isNudged(agent.nudging, { nudgeId, notClear })) return []
  const message = nudgeMessage(stored)
  const { agentId } = agent
  return [{ nudgeId, agentId, sessionId, checkpointId, position, message, createdAt }]
}
