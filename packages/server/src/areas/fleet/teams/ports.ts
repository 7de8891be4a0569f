import type { Db } from '../../../kernel/db.ts'

export type AgentFacts = { agentId: string; orgId: string; name: string; archived: boolean }

export type Agents = {
  /** Those that are there. They stay as they are until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
  /** The same without holding them. */
  listFacts(db: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
}

export type Orgs = {
  /** Undefined for an organisation that is no more. */
  accountOf(db: Db, orgId: string): Promise<string | undefined>
}

/** What is kept about teams elsewhere: follows their roster, and goes with them. */
export type TeamFollower = {
  /** In the transaction of the change. */
  rosterChanged?(tx: Db, teamId: string): Promise<void>
  /** The team is still there. */
  erase(tx: Db, teamId: string): Promise<void>
}
