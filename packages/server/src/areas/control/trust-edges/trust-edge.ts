import type { TrustLevel } from '@touchstone/protocol/control'

/** 02 §4.5: of one agent. */
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

/** Whether an organisation may know that this agent exists (01 §7.3). */
export function isKnownTo(orgId: string, agent: Known): boolean {
  return agent.orgId === orgId || (agent.visibility !== 'private' && !agent.archived)
}
