import type { Db } from '../../../kernel/db.ts'
import type { TeamId } from '../../../kernel/ids.ts'

export type AgentFacts = { agentId: string; orgId: string; name: string; archived: boolean }

export type Agents = {
  /** Skips ids without an agent; locks the agents found until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
  /** As `describe`, without locking. */
  listFacts(db: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
}

export type Orgs = {
  /** Undefined if the organisation is deleted. */
  accountOf(db: Db, orgId: string): Promise<string | undefined>
}

/** Rows of other features that depend on a team; called in the transaction of the change. */
export type Dependents = {
  rosterChanged(tx: Db, teamId: TeamId): Promise<void>
  /** Called before the row of the team is deleted. */
  erase(tx: Db, teamId: TeamId): Promise<void>
}
