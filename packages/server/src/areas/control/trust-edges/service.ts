import {
  advanceReach,
  beginReach,
  type ReachedAgent,
  TRUSTERS_READ_MAX,
  type TrustLevel,
} from '@touchstone/protocol/control'
import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Agents } from './ports.ts'
import { createTrustEdgeStore } from './store.ts'
import { type Direction, EDGES_MAX, isKnownTo, type StoredEdge } from './trust-edge.ts'

export type TrustEdgeDeps = { db: Db; clock: Clock; audit: Audit; agents: Agents }

export type NewEdge = {
  sourceAgentId: string
  targetAgentId: string
  trustLevel: TrustLevel
  reason: string | null
}

export type TrustEdgeService = ReturnType<typeof createTrustEdgeService>

export function createTrustEdgeService(deps: TrustEdgeDeps) {
  return {
    /** Hides edges from agents that are not visible to the organisation. */
    async list(
      of: { orgId: string; agentId: string; direction: Direction },
      request: PageRequest,
    ): Promise<Page<StoredEdge>> {
      return transact(deps.db, async (tx) => {
        const page = await createTrustEdgeStore(tx).list(of.agentId, of.direction, request)
        const others = page.items.flatMap(({ sourceAgentId }) =>
          sourceAgentId === of.agentId ? [] : [sourceAgentId],
        )
        if (others.length === 0) return page
        const known = (await deps.agents.describe(tx, others)).filter((one) =>
          isKnownTo(of.orgId, one),
        )
        const shown = new Set([of.agentId, ...known.map(({ agentId }) => agentId)])
        const items = page.items.filter(({ sourceAgentId }) => shown.has(sourceAgentId))
        return { ...page, items }
      })
    },

    async create(wanted: NewEdge, actor: Actor): Promise<StoredEdge> {
      if (wanted.sourceAgentId === wanted.targetAgentId) {
        throw refusal('target_agent_id', 'An agent cannot declare trust in itself.')
      }
      return transact(deps.db, async (tx) => {
        // Locked until commit, so that counting and adding edges of one agent cannot race.
        const { orgId } = await deps.agents.lockOpen(tx, wanted.sourceAgentId)
        const [target] = await deps.agents.describe(tx, [wanted.targetAgentId])
        if (target === undefined || !isKnownTo(orgId, target)) {
          throw new Problem('agent_not_found', 'The target agent does not exist.')
        }
        const store = createTrustEdgeStore(tx)
        const edge = { ...wanted, edgeId: newId('te'), createdAt: deps.clock.now() }
        const added = await store.insert(edge)
        if (!added) throw new Problem('conflict', 'The agent already trusts the target agent.')
        if ((await store.countFrom(wanted.sourceAgentId)) > EDGES_MAX) {
          throw refusal('target_agent_id', `An agent can have at most ${EDGES_MAX} trust edges.`)
        }
        await record(deps, tx, { orgId, action: 'trust_edge.created', actor, edge })
        return edge
      })
    },

    async remove(
      sourceAgentId: string,
      named: { edgeId: string } | { targetAgentId: string },
      actor: Actor,
    ): Promise<void> {
      await transact(deps.db, async (tx) => {
        const { orgId } = await deps.agents.lockOpen(tx, sourceAgentId)
        const edge = await createTrustEdgeStore(tx).delete(sourceAgentId, named)
        if (edge === undefined) throw new Problem('not_found', 'No such trust edge.')
        await record(deps, tx, { orgId, action: 'trust_edge.deleted', actor, edge })
      })
    },

    /**
     * The agents affected by a correction of this agent's score (spec: control §1.4), with one
     * short read per hop.
     */
    async reach(db: Db, agentId: string): Promise<readonly ReachedAgent[]> {
      const store = createTrustEdgeStore(db)
      let reach = beginReach(agentId)
      while (reach.frontier.length > 0) {
        reach = advanceReach(reach, await store.listInto(reach.frontier, TRUSTERS_READ_MAX))
      }
      return reach.reached
    },

    erase: (tx: Db, agentId: AgentId): Promise<void> =>
      createTrustEdgeStore(tx).deleteOfAgent(agentId),
  }
}

function refusal(field: string, message: string): Problem {
  const details = [{ path: `/${field}`, code: 'invalid', message }]
  return new Problem('invalid_request', message, { details })
}

type Recorded = { orgId: string; action: string; actor: Actor; edge: StoredEdge }

/** Recorded without the reason, which must be erased with the agent. */
function record(
  deps: TrustEdgeDeps,
  tx: Db,
  { orgId, action, actor, edge }: Recorded,
): Promise<void> {
  const created = action === 'trust_edge.created'
  const fields = { target_agent_id: edge.targetAgentId, trust_level: edge.trustLevel }
  const changes = Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      created ? { from: null, to: value } : { from: value, to: null },
    ]),
  )
  const target = { type: 'agent', id: edge.sourceAgentId }
  return deps.audit.record(tx, { orgId, action, actor, target, changes })
}
