import { createCache } from '../../../kernel/cache.ts'
import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import type { AgentSnapshot, Rules } from './agent-snapshot.ts'
import type { Agents, Containment, Evaluations, Holds, Policies, ToolPins } from './ports.ts'

const SNAPSHOTS_MAX = 50_000
/** Total size of the policies in all snapshots; most are shared with the policy cache. */
const BYTES_MAX = 256 * 2 ** 20
/** Short, because each part may come from a cache with a TTL of its own. */
const TTL_MS = SECOND_MS

export type SnapshotDeps = {
  clock: Clock
  agents: Agents
  policies: Policies
  evaluations: Pick<Evaluations, 'rulesOf'>
  containment: Containment
  holds: Pick<Holds, 'hasNudges' | 'onNudgeChange'>
  toolPins: ToolPins
  /** False while changes made on other nodes may be missed. */
  hearsChanges(): boolean
}

/**
 * Caches one snapshot per agent until any part of it changes.
 * INVARIANT: a snapshot whose read overlaps an invalidation is returned but not cached. While changes
 * made on other nodes may be missed, every call reads the database.
 */
export function createSnapshots(deps: SnapshotDeps) {
  const cache = createCache<AgentSnapshot>({
    clock: deps.clock,
    entriesMax: SNAPSHOTS_MAX,
    ttlMs: TTL_MS,
    weight: { of: ({ rules }) => bytesOf(deps.policies, rules), max: BYTES_MAX },
  })
  let changes = 0
  const invalidate = (agentId: string | undefined): void => {
    changes += 1
    if (agentId === undefined) cache.clear()
    else cache.delete(agentId)
  }
  deps.agents.onKnownChange(invalidate)
  deps.policies.onRulesChange(invalidate)
  deps.containment.onStateChange(invalidate)
  deps.holds.onNudgeChange(invalidate)
  deps.toolPins.onChangedTools(invalidate)

  const load = async (agentId: string): Promise<AgentSnapshot | undefined> => {
    const changesBefore = changes
    const snapshot = await readSnapshot(deps, agentId)
    if (snapshot === undefined || changes !== changesBefore || !deps.hearsChanges()) return snapshot
    const { rules } = snapshot
    // Unreadable rules are not cached, so the next call retries.
    if (rules.readable) cache.set(agentId, { ...snapshot, rules: { ...rules, readMs: 0 } })
    return snapshot
  }

  return {
    /** Returns undefined for an unknown agent. */
    get: async (agentId: string): Promise<AgentSnapshot | undefined> =>
      cache.get(agentId) ?? load(agentId),
  }
}

async function readSnapshot(
  deps: SnapshotDeps,
  agentId: string,
): Promise<AgentSnapshot | undefined> {
  const agent = await deps.agents.findKnown(agentId)
  if (agent === undefined) return undefined
  const { orgId, status, enforcementMode: mode } = agent
  const state = await deps.containment.stateOf(agentId)
  const hasNudges = await deps.holds.hasNudges(agentId, deps.clock.now())
  const changedTools = await deps.toolPins.changedTools(agentId)
  const rules = await deps.evaluations.rulesOf(orgId, agentId)
  return {
    agentId,
    orgId,
    isArchived: status === 'archived',
    mode,
    contained: state.status === 'active' ? undefined : state,
    rules,
    hasNudges,
    changedTools,
  }
}

function bytesOf(policies: Policies, rules: Rules): number {
  return rules.readable ? policies.bytesOf(rules.effective) : 0
}
