import type { Db } from '../../../kernel/db.ts'
import type { TeamId } from '../../../kernel/ids.ts'

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

/** The rows of teams in other features, in the transaction of the change. */
export type OwnedRows = {
  rosterChanged(tx: Db, teamId: TeamId): Promise<void>
  /** The team is still there. */
  erase(tx: Db, teamId: TeamId): Promise<void>
}
