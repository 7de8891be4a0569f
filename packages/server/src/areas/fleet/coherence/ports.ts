import type { ValueHolder } from '@touchstone/protocol/risk'
import type { Db } from '../../../kernel/db.ts'

export type AgentFacts = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  archived: boolean
}

export type Agents = {
  /** Throws `agent_not_found` for archived agents and for agents hidden from these organisations. */
  getShown(agentId: string, orgIds: readonly string[]): Promise<unknown>
  /** Missing agents are left out. */
  listFacts(db: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
  /** The same, and locks the agents until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
  /** Ids of an organisation's agents that are not archived, in ascending order. */
  listOpenIds(orgId: string, limit: number): Promise<readonly string[]>
}

export type Cards = {
  /** The declared values of agents whose card has not expired. */
  activeValues(db: Db, agentIds: readonly string[]): Promise<readonly ValueHolder[]>
}
