import type { AttestedRecord, Certificate, ChainLink } from '@touchstone/protocol/evidence'
import type { MerkleNode, NodeId } from '@touchstone/protocol/merkle'
import type { StoredLink, Walk } from './chain-walk.ts'

export type Checkpoints = {
  /** Ids of agents that have a chain, be it empty, in their order. */
  agentsAfter(agentId: string, limit: number): Promise<string[]>
  /**
   * Checkpoints in chain order from a position on, and where the chain ends, both as they were at
   * one moment. From 0 on means from the very first, even if that has no right to be there.
   */
  sliceFrom(
    agentId: string,
    position: number,
    limit: number,
  ): Promise<{ links: StoredLink[]; head: Walk | undefined }>
}

export type Attestation = {
  /** Those that are there. */
  nodesOf(agentId: string, ids: readonly NodeId[]): Promise<MerkleNode[]>
  /** Undefined where a stored part is missing. */
  rebuild(
    agentId: string,
    links: readonly (ChainLink & { record: AttestedRecord; leafIndex: number | null })[],
  ): Promise<({ certificate: Certificate; certificateHash: string } | undefined)[]>
}

export type Agents = {
  /** Undefined once the agent is erased. */
  orgOf(agentId: string): Promise<string | undefined>
}
