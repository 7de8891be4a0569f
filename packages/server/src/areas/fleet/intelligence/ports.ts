import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { PolicyRules } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'

export type Team = { teamId: string; orgId: string; name: string; status: 'active' | 'archived' }

export type Teams = {
  find(db: Db, teamId: string): Promise<Team | undefined>
  membersOf(db: Db, teamId: string): Promise<readonly string[]>
}

export type Cards = {
  /** Of those whose card has not expired, as they declare it. */
  activeCards(
    db: Db,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; card: AlignmentCard }[]>
}

export type Agents = {
  /** Those that are there. They stay as they are until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly { agentId: string }[]>
}

export type Policies = {
  /** What the agent is held to, from memory; nothing without any layer. */
  resolved(agent: { orgId: string; agentId: string }): Promise<PolicyRules | undefined>
}

/** Keeps how each two agents go together (03 §1.4). */
export type PairScores = {
  /** Holds the agents until the transaction ends. */
  record(
    tx: Db,
    pairs: readonly { agentA: string; agentB: string; scoreE4: number }[],
  ): Promise<void>
}
