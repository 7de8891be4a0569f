import type { TrustLevel } from '@touchstone/protocol/control'

/** Outgoing edges per agent (spec: control §1.5). */
export const EDGES_MAX = 200

export const DIRECTIONS = ['out', 'in', 'both'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** The source declared that it trusts the target. */
export type StoredEdge = {
  edgeId: string
  sourceAgentId: string
  targetAgentId: string
  trustLevel: TrustLevel
  reason: string | null
  createdAt: Date
}

type Known = { orgId: string; visibility: string; archived: boolean }

/** Whether the agent is visible to the organisation (spec: reputation §3). */
export function isKnownTo(orgId: string, agent: Known): boolean {
  return agent.orgId === orgId || (agent.visibility !== 'private' && !agent.archived)
}
