import { createKnown } from '../../../kernel/cache.ts'
import { type Clock, DAY_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { isHold, LOOKED_AT_MAX } from './hold.ts'
import { isSpokenOf, type Nudge, type Nudging, nudgeMessage } from './nudge.ts'
import type { Checkpoints } from './ports.ts'
import { createNudgeStore, type NewNudge } from './store.ts'

/** 02 §5.1: a word that nobody fetched in a day is not told any more. */
const KEPT_MS = DAY_MS
/** 02 §5.1. */
const TOLD_MAX = 5

/** Word that something is to be told to an agent. */
const TOPIC = 'nudge'
/** Agents of which it is remembered whether there is. */
const KNOWN_MAX = 50_000

export type EnforcementDeps = {
  db: Db
  clock: Clock
  notices: Notices
  checkpoints: Checkpoints
}

type Asked = { agentId: string; sessionId: string | undefined; now: Date }

export type EnforcementService = ReturnType<typeof createEnforcementService>

/** What findings about an agent do to it: they hold its calls, and it is spoken to. */
export function createEnforcementService(deps: EnforcementDeps) {
  const pending = createPending(deps)
  const deliver = async ({ agentId, sessionId, now }: Asked, since: Date) => {
    const told = await transact(deps.db, (tx) =>
      createNudgeStore(tx).deliver({ agentId, sessionId }, { since, now, limit: TOLD_MAX }),
    )
    if (told.length > 0) pending.forget(agentId)
    return told
  }
  return {
    /** Always read: what an agent did last must not be held against it a moment longer. */
    async isHeld({ agentId, sessionId, now }: Asked): Promise<boolean> {
      const newest = await deps.checkpoints.findNewest({
        agentId,
        sessionId,
        lookedAtMax: LOOKED_AT_MAX,
      })
      return isHold(newest, { ofSession: sessionId !== undefined, now })
    },

    /** Whether any nudge waits for the agent, in whatever session; cached. */
    hasNudges: (agentId: string, now: Date): Promise<boolean> =>
      pending.has(agentId, later(now, -KEPT_MS)),
    onNudgeChange: pending.onChange,

    /** The nudges for the agent, oldest first; those given here count as delivered. */
    async takeNudges(asked: Asked): Promise<readonly Nudge[]> {
      const since = later(asked.now, -KEPT_MS)
      return (await pending.has(asked.agentId, since)) ? deliver(asked, since) : []
    },

    watcher: watching(deps, pending),

    /** Those that were told or can be no more. */
    async purge(now: Date): Promise<number> {
      const before = later(now, -KEPT_MS)
      return purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createNudgeStore(tx).deleteBefore(before, rowsMax)),
      )
    },

    /** With the agent. */
    erase: (tx: Db, agentId: AgentId): Promise<void> => createNudgeStore(tx).deleteOfAgent(agentId),
  }
}

type Pending = ReturnType<typeof createPending>

/** Whether anything waits to be told to an agent: asked with every call, so from memory. */
function createPending({ db, clock, notices }: EnforcementDeps) {
  const limits = { entriesMax: KNOWN_MAX, ttlMs: MINUTE_MS }
  const known = createKnown<boolean>({ clock, notices, topic: TOPIC, ...limits })
  const read = (agentId: string, since: Date): Promise<boolean> =>
    known.load(agentId, () => createNudgeStore(db).hasPending(agentId, since))
  return {
    has: async (agentId: string, since: Date): Promise<boolean> =>
      known.get(agentId) ?? read(agentId, since),
    tell: known.tell,
    forget: known.forget,
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

/** Queues words to agents in the transaction that stores what they are about. */
function watching(deps: EnforcementDeps, pending: Pending) {
  return {
    async follow(tx: Db, stored: readonly Stored[]): Promise<void> {
      const createdAt = deps.clock.now()
      const nudges = stored.filter(mayBeSpokenOf).flatMap((one) => nudgeAbout(one, createdAt))
      if (nudges.length === 0) return
      await createNudgeStore(tx).insertAll(nudges)
      for (const agentId of new Set(nudges.map((nudge) => nudge.agentId))) {
        await pending.tell(tx, agentId)
      }
    },

    settled(stored: readonly Arriving[]): void {
      for (const { agent } of stored.filter(mayBeSpokenOf)) pending.forget(agent.agentId)
    },
  }
}

function mayBeSpokenOf({ agent, verdict }: Arriving): boolean {
  const { enforcementMode: mode, nudging } = agent
  return verdict !== 'clear' && mode !== 'observe' && nudging.strategy !== 'off'
}

function nudgeAbout(stored: Stored, createdAt: Date): NewNudge[] {
  const { agent, checkpointId, sessionId, position, notClear } = stored
  const nudgeId = newId('ndg')
  if (!isSpokenOf(agent.nudging, { nudgeId, notClear })) return []
  const message = nudgeMessage(stored)
  const { agentId } = agent
  return [{ nudgeId, agentId, sessionId, checkpointId, position, message, createdAt }]
}
