import type {
  AttestedRecord,
  Certificate,
  ChainLink,
  StoredFault,
  StoredRow,
  StoredRows,
  TrustedKey,
} from '@touchstone/protocol/evidence'
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
  /**
   * Checkpoints at the positions picked, and the head, from one snapshot. The rows are also passed on
   * as they are read, so many at a time.
   */
  rowsAt(
    agentId: string,
    pick: (length: number) => readonly number[],
    reading: { rowsMax: number; onRead(rows: readonly StoredRow[]): void },
  ): Promise<{ rows: StoredRow[]; head: Omit<Walk, 'position'> & { length: number } } | undefined>
}

export type Attestation = {
  /** The nodes that exist. */
  nodesOf(agentId: string, ids: readonly NodeId[]): Promise<MerkleNode[]>
  /** Undefined for each that has a stored part missing. */
  rebuild(
    agentId: string,
    links: readonly (ChainLink & { record: AttestedRecord; leafIndex: number | null })[],
  ): Promise<({ certificate: Certificate; certificateHash: string } | undefined)[]>
  /** The stored parts of certificates, which a worker rebuilds. */
  storedAt(
    agentId: string,
    places: readonly { position: number; leafIndex: number | null }[],
  ): Promise<Pick<StoredRows, 'certificates' | 'nodeHashes'>>
  publishedKeys(): Promise<readonly TrustedKey[]>
}

/** Recomputes rows on a worker thread. */
export type Verifier = (rows: StoredRows) => Promise<StoredFault | null>

export type Agents = {
  /** Undefined if the agent is erased. */
  orgOf(agentId: string): Promise<string | undefined>
}
