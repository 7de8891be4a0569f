import { type Actor, type Audit, changesBetween } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Agent, Mode, Status } from './agent.ts'
import { type Control, createControlStore, type Nudging } from './control-store.ts'
import type { KnownAgents } from './known-service.ts'
import { createAgentStore } from './store.ts'

export type ControlDeps = { db: Db; clock: Clock; audit: Audit }

export type Enforcement = { mode: Mode; nudging: Nudging }

/** Enforcement mode and containment status of agents. The reasons are stored by control. */
export function createControl(deps: ControlDeps, known: KnownAgents) {
  const { db, clock, audit } = deps
  return {
    async enforcement(agentId: string): Promise<Enforcement> {
      const agent = await createControlStore(db).find(agentId)
      if (agent === undefined) throw noAgent()
      return { mode: agent.enforcementMode, nudging: agent.nudging }
    },

    async setEnforcement(agentId: string, wanted: Enforcement, actor: Actor): Promise<void> {
      await transact(db, async (tx) => {
        const store = createControlStore(tx)
        const before = await store.lock(agentId)
        if (before === undefined) throw noAgent()
        assertOpen(before)
        const changes = changesBetween(
          toRecord({ mode: before.enforcementMode, nudging: before.nudging }),
          toRecord(wanted),
        )
        if (Object.keys(changes).length === 0) return
        await store.setEnforcement(agentId, wanted.mode, wanted.nudging, clock.now())
        await known.invalidate(tx, [agentId])
        await audit.record(tx, {
          orgId: before.orgId,
          action: 'agent.enforcement_changed',
          actor,
          changes,
          target: { type: 'agent', id: agentId },
        })
      })
      known.evict(agentId)
    },

    findControl: (db: Db, agentId: string): Promise<Control | undefined> =>
      createControlStore(db).find(agentId),

    /** Throws `agent_not_found` for another organisation's agent, and `conflict` for an archived one. */
    async lockControl(tx: Db, agent: { orgId: string; agentId: string }): Promise<Control> {
      const store = createControlStore(tx)
      // Locked only after the organisation is checked, so that nobody can block another's agent.
      if ((await store.find(agent.agentId))?.orgId !== agent.orgId) throw noAgent()
      const locked = await store.lock(agent.agentId)
      if (locked === undefined) throw noAgent()
      assertOpen(locked)
      return locked
    },

    /** Locks the agents that exist until the transaction ends. */
    lockControls: (tx: Db, agentIds: readonly string[]): Promise<void> =>
      createControlStore(tx).lockAll(agentIds),

    async setStatus(tx: Db, agentId: string, status: Exclude<Status, 'archived'>): Promise<void> {
      await createControlStore(tx).setStatus(agentId, status, clock.now())
      await known.invalidate(tx, [agentId])
    },

    setAutoContainment: (tx: Db, agentId: string, threshold: number | null): Promise<void> =>
      createControlStore(tx).setAutoContainment(agentId, threshold, clock.now()),
  }
}

function toRecord({ mode, nudging }: Enforcement) {
  return {
    enforcement_mode: mode,
    nudge_strategy: nudging.strategy,
    nudge_rate: nudging.rate,
    nudge_threshold: nudging.threshold,
  }
}

export function noAgent(): Problem {
  return new Problem('agent_not_found', 'No such agent.')
}

export function assertOpen(agent: { status: Status }): void {
  if (agent.status !== 'archived') return
  throw new Problem('conflict', 'The agent is archived and cannot be changed.')
}

/** Locks an agent that is not archived until the transaction ends. */
export async function lockOpen(tx: Db, agentId: string): Promise<Agent> {
  const agent = await createAgentStore(tx).lock(agentId)
  if (agent === undefined) throw noAgent()
  assertOpen(agent)
  return agent
}

export function recordChange(
  deps: { audit: Audit },
  tx: Db,
  action: string,
  actor: Actor,
  agent: Agent,
  changes: Record<string, { from: unknown; to: unknown }> = {},
): Promise<void> {
  const target = { type: 'agent', id: agent.agentId }
  return deps.audit.record(tx, { orgId: agent.orgId, action, actor, target, changes })
}
