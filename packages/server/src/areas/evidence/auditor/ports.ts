import type { AttestedRecord, Certificate, ChainLink } from '@touchstone/protocol/evidence'
import type { MerkleNode, NodeId } from '@touchstone/protocol/merkle'
import type { StoredLink, Walk } from './chain-walk.ts'

export type Checkpoints = {
  /** Ids of agents that have a chain, even an empty one, in order. */
  agentsAfter(agentId: string, limit: number): Promise<string[]>
  /**
   * Checkpoints in chain order from a position, and the end of the chain, from one snapshot. From 0
   * includes forged rows before position 0.
   */
  sliceFrom(
    agentId: string,
    position: number,
    limit: number,
  ): Promise<{ links: StoredLink[]; head: Walk | undefined }>
}

export type Attestation = {
  /** The nodes that exist. */
  nodesOf(agentId: string, ids: readonly NodeId[]): Promise<MerkleNode[]>
  /** Undefined for each that has a stored part missing. */
  rebuild(
    agentId: string,
    links: readonly (ChainLink & { record: AttestedRecord; leafIndex: number | null })[],
  ): Promise<({ certificate: Certificate; certificateHash: string } | undefined)[]>
}

export type Agents = {
  /** Undefined if the agent is erased. */
  orgOf(agentId: string): Promise<string | undefined>
}
