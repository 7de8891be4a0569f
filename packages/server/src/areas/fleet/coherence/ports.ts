import type { ValueHolder } from '@touchstone/protocol/risk'
import type { Db } from '../../../kernel/db.ts'

export type AgentFacts = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  archived: boolean
}

export type Agents = {
  /** Throws `agent_not_found` for one that these organisations are not shown; archived ones are not. */
  getShown(agentId: string, orgIds: readonly string[]): Promise<unknown>
  /** Those that are there. */
  listFacts(db: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
  /** The same; they stay as they are until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
  /** Of an organisation, those that are not archived, by id. */
  listOpenIds(orgId: string, limit: number): Promise<readonly string[]>
}

export type Cards = {
  /** Of those whose card has not expired, as they declare it. */
  activeValues(db: Db, agentIds: readonly string[]): Promise<readonly ValueHolder[]>
}
