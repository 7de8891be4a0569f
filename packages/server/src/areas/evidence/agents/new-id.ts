import { keccak256Hex } from '@touchstone/protocol/crypto'
import { agentIdSkeleton, canonicalAgentId } from '@touchstone/protocol/identifiers'

/**
 * Kept after erasure, so that the id is never reused and on-chain records of it stay distinguishable
 * (spec: platform §6.4).
 */
export function idHash(agentId: string): string {
  return keccak256Hex(agentId)
}

/** The same for ids that are equal in canonical form, and for those that look alike. */
export function nameHashes(agentId: string): { canonicalHash: string; skeletonHash: string } {
  return {
    canonicalHash: keccak256Hex(canonicalAgentId(agentId)),
    skeletonHash: keccak256Hex(agentIdSkeleton(agentId)),
  }
}

/** Agents whose ids have the skeleton of the new one, and erased ids by their hashes. */
export type TakenNames = {
  agents: readonly { agentId: string; orgId: string }[]
  erased: { same: boolean; similar: boolean }
}

/**
 * Whether an organisation can register an id (spec: provenance §6). Its own agents may look alike;
 * an erased agent counts as another organisation's, because nothing says whose it was.
 */
export function judgeNewId(
  wanted: { agentId: string; orgId: string },
  taken: TakenNames,
): 'free' | 'conflict' | 'similar_id' {
  const { agentId, orgId } = wanted
  const canonical = canonicalAgentId(agentId)
  const isSame = taken.agents.some(
    (other) =>
      other.agentId === agentId ||
      (other.orgId === orgId && canonicalAgentId(other.agentId) === canonical),
  )
  if (isSame || taken.erased.same) return 'conflict'
  const isSimilar = taken.agents.some((other) => other.orgId !== orgId)
  return isSimilar || taken.erased.similar ? 'similar_id' : 'free'
}
