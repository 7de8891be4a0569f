import type { AssuranceLevel } from '@touchstone/protocol/score'
import type { Audit } from '../../../audit.ts'
import type { MinedTransaction, Relay, RelayOutcome } from '../../../chain/relay.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Computation } from './publication.ts'

export type Relayer = Relay<'publication', 'reputationRegistry'>
export type Mined = MinedTransaction
export type Outcome = RelayOutcome

export type Agents = {
  /** Throws `agent_not_found` for an agent that is not visible to these organisations. */
  get(agentId: string, orgIds: readonly string[]): Promise<unknown>
  /** The agents among these that belong to the organisation. */
  forIngest(
    orgId: string,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; archived: boolean }[]>
}

export type Scores = {
  /** The current computations and the earlier ones of the last day, newest first. */
  publishable(agentIds: readonly string[]): Promise<readonly Computation[]>
  /** Undefined before the first computation. */
  published(
    agentId: string,
  ): Promise<
    { score: number | null; grade: string; assurance: { level: AssuranceLevel } | null } | undefined
  >
}

export type PublishingDeps = {
  db: Db
  clock: Clock
  audit: Audit
  chainId: number
  relayer: Relayer
  /** Queries the chain. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
  agents: Agents
  scores: Scores
}
