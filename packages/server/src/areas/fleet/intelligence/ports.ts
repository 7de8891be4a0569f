import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { PolicyRules } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'

export type Team = { teamId: string; orgId: string; name: string; status: 'active' | 'archived' }

export type Teams = {
  find(db: Db, teamId: string): Promise<Team | undefined>
  membersOf(db: Db, teamId: string): Promise<readonly string[]>
}

export type Cards = {
  /** The cards that have not expired. */
  activeCards(
    db: Db,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; card: AlignmentCard }[]>
}

export type Agents = {
  /** Locks the existing agents until the transaction ends; missing ones are left out. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly { agentId: string }[]>
}

export type Policies = {
  /** The effective policy of an agent, from the cache; undefined if no policy applies. */
  resolved(agent: { orgId: string; agentId: string }): Promise<PolicyRules | undefined>
}

/** The ledger of pair scores (spec: fleet §1.4). */
export type PairScores = {
  /** Locks the agents until the transaction ends. */
  record(
    tx: Db,
    pairs: readonly { agentA: string; agentB: string; scoreE4: number }[],
    asking: { orgId: string },
  ): Promise<void>
}
