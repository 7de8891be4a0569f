import type { Actor, Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeEach, transact } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { createArchiveStore } from './archive-store.ts'
import { lockOpen, noAgent, recordChange } from './control-service.ts'
import type { KnownAgents } from './known-service.ts'
import type { OwnedRows } from './ports.ts'
import { createAgentStore } from './store.ts'

/** spec: platform §6.4. */
const GRACE_DAYS = 30

export type ArchivalDeps = { db: Db; clock: Clock; audit: Audit; owned: OwnedRows }

/** Archiving and erasure of agents, individually or with their organisation. */
export function createArchival(deps: ArchivalDeps, known: KnownAgents) {
  /** Deletes everything about the agent. Attestation keeps the leaves that anchored trees need. */
  const erase = async (tx: Db, agentId: AgentId): Promise<void> => {
    await deps.owned.erase(tx, agentId)
    await createArchiveStore(tx).addTombstone(agentId, deps.clock.now())
    await known.invalidate(tx, [agentId])
  }
  const archive = async (tx: Db, agentId: AgentId, eraseAfter?: Date): Promise<Date | null> => {
    const at = { now: deps.clock.now(), ...(eraseAfter === undefined ? {} : { eraseAfter }) }
    const stored = await createArchiveStore(tx).archive(agentId, at)
    await announce(tx, 'archive', [agentId])
    await deps.owned.retire(tx, agentId)
    return stored
  }
  const announce = async (tx: Db, change: 'archive' | 'restore', agentIds: readonly AgentId[]) => {
    await deps.owned[change](tx, agentIds)
    await known.invalidate(tx, agentIds)
    await deps.owned.change(tx, agentIds)
  }
  return {
    /** Keeps the evidence, hides the agent from the public and accepts nothing more from it. */
    async archive(agentId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const agent = await lockOpen(tx, agentId)
        await archive(tx, agent.agentId)
        await recordChange(deps, tx, 'agent.deleted', actor, agent)
      })
      known.evict(agentId)
    },

    async requestErasure(agentId: string, actor: Actor): Promise<Date> {
      const wanted = later(deps.clock.now(), GRACE_DAYS * DAY_MS)
      const set = await transact(deps.db, async (tx) => {
        const agent = await createAgentStore(tx).lock(agentId)
        if (agent === undefined) throw noAgent()
        // A repeated request keeps the time of the first.
        const eraseAfter = await archive(tx, agent.agentId, wanted)
        await recordChange(deps, tx, 'agent.erasure_requested', actor, agent)
        return eraseAfter ?? wanted
      })
      known.evict(agentId)
      return set
    },

    async closeOrg(tx: Db, orgId: OrgId): Promise<void> {
      const closed = await createArchiveStore(tx).archiveWithOrg(orgId, deps.clock.now())
      await announce(tx, 'archive', closed)
    },
    async reopenOrg(tx: Db, orgId: OrgId): Promise<void> {
      const back = await createArchiveStore(tx).unarchiveWithOrg(orgId, deps.clock.now())
      await announce(tx, 'restore', back)
    },
    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      for (const agentId of await createArchiveStore(tx).listOfOrg(orgId)) await erase(tx, agentId)
    },
    async purge(now: Date): Promise<number> {
      const due = await createArchiveStore(deps.db).listToErase(now)
      return purgeEach(deps.db, due, async (tx, agentId) => {
        if (!(await createArchiveStore(tx).lockToErase(agentId, now))) return false
        await erase(tx, agentId)
        return true
      })
    },
  }
}
