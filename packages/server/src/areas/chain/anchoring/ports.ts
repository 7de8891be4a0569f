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

export type AnchoringDeps = {
  db: Db
  clock: Clock
  audit: Audit
  chainId: number
  relayer: Relayer
  agents: Agents
  trees: Trees
}
