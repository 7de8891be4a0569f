import type { Audit } from '../../../audit.ts'
import type { MinedTransaction, Relay, RelayOutcome } from '../../../chain/relay.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'

export type Relayer = Relay<'anchor', 'merkleAnchor'>
export type Mined = MinedTransaction
export type Outcome = RelayOutcome

export type Agents = {
  /** Throws `agent_not_found` for an agent that is not visible to these organisations. */
  get(agentId: string, orgIds: readonly string[]): Promise<unknown>
  orgsOf(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** The checkpoint trees of agents. */
export type Trees = {
  /**
   * The trees with at least one leaf, ordered by the bytes of the agent id, after the given
   * agent.
   */
  treesAfter(
    agentId: string,
    limit: number,
  ): Promise<readonly { agentId: string; leafCount: number; root: string }[]>
  hasLeafSince(since: Date): Promise<boolean>
  leafCountOf(agentId: string): Promise<number>
  /** The roots in hex by tree size; sizes that cannot be computed are missing. */
  rootsAt(agentId: string, sizes: readonly number[]): Promise<ReadonlyMap<number, string>>
}

/** The witnessed log. */
export type Log = {
  /** The head of the published checkpoint. */
  publishedHead(): Promise<{ size: number; root: Uint8Array } | undefined>
  /** Whether the tree of the first `size` entries has a checkpoint of the agent. */
  hasCheckpointOf(agentId: string, size: number): Promise<boolean>
  /** The newest checkpoint of an agent in the tree of the first `size` entries. */
  proveNewestOf(
    agentId: string,
    size: number,
  ): Promise<
    | {
        index: number
        /** The entry. */
        bytes: Uint8Array
        hashes: readonly Uint8Array[]
        nonce: Uint8Array
        /** Canonical JSON. */
        record: string
      }
    | undefined
  >
}

export type AnchoringDeps = {
  db: Db
  clock: Clock
  audit: Audit
  chainId: number
  relayer: Relayer
  agents: Agents
  trees: Trees
  log: Log
  /** ANCHOR_ROOT: what automatic anchors are over. */
  root: 'agents' | 'log'
}
