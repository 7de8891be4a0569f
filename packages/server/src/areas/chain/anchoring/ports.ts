import type { Hex } from '@touchstone/protocol/chain'
import type { Audit } from '../../../kernel/audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'

export type Relayer = {
  /** Starts the chain when it does not run; throws `chain_unavailable`. */
  contracts(): Promise<{ chainId: number; merkleAnchor: Hex }>
  /** After `contracts`. Gives the transaction's id. */
  submit(
    tx: Db,
    wanted: { kind: 'anchor'; subject: string; to: Hex; data: Hex },
  ): Promise<string | undefined>
  /** Until it is mined; throws what a caller is told when it is not. */
  follow(transactionId: string): Promise<unknown>
}

export type Mined = { txHash: Hex; blockNumber: number; blockAt: Date; gasUsed: number }

/** What became of a transaction. `gone`: it was mined, and the chain has lost it again. */
export type Outcome = { became: 'mined'; mined: Mined } | { became: 'gone' } | { became: 'failed' }

export type Agents = {
  /** Throws `agent_not_found` for one that these organisations may not see. */
  get(agentId: string, orgIds: readonly string[]): Promise<unknown>
  orgsOf(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** The checkpoint trees of agents. */
export type Trees = {
  /** Of all with a leaf, by the bytes of their ids; those after that agent. */
  treesAfter(
    agentId: string,
    limit: number,
  ): Promise<readonly { agentId: string; leafCount: number; root: string }[]>
  hasLeafSince(since: Date): Promise<boolean>
  leafCountOf(agentId: string): Promise<number>
  /** In hex, of the first so many leaves each; those that can be told. */
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
