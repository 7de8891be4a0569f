import type { Hex } from '@touchstone/protocol/chain'
import type { Audit } from '../../../kernel/audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Computation } from './publication.ts'

export type Relayer = {
  /** Starts the chain when it does not run; throws `chain_unavailable`. */
  contracts(): Promise<{ chainId: number; reputationRegistry: Hex }>
  /** After `contracts`. Gives the transaction's id. */
  submit(
    tx: Db,
    wanted: { kind: 'publication'; subject: string; to: Hex; data: Hex },
  ): Promise<string | undefined>
  /** Until it is mined; throws what a caller is told when it is not. */
  follow(transactionId: string): Promise<unknown>
}

export type Mined = {
  txHash: Hex
  blockNumber: number
  txIndex: number
  blockAt: Date
  gasUsed: number
}

/** What became of a transaction. `gone`: it was mined, and the chain has lost it again. */
export type Outcome = { became: 'mined'; mined: Mined } | { became: 'gone' } | { became: 'failed' }

export type Agents = {
  /** Throws `agent_not_found` for one that these organisations may not see. */
  get(agentId: string, orgIds: readonly string[]): Promise<unknown>
  /** Those of the organisation among them. */
  forIngest(
    orgId: string,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; archived: boolean }[]>
}

export type Scores = {
  /** The current ones, and those of the last day that they followed; newest first. */
  publishable(agentIds: readonly string[]): Promise<readonly Computation[]>
  /** Undefined before the first computation. */
  published(agentId: string): Promise<{ score: number | null; grade: string } | undefined>
}

export type PublishingDeps = {
  db: Db
  clock: Clock
  audit: Audit
  chainId: number
  relayer: Relayer
  /** Reads the chain. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
  agents: Agents
  scores: Scores
}
