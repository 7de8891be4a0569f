import type { Db } from '../../../kernel/db.ts'

export type Visibility = 'public' | 'unlisted' | 'private'

export type AgentFacts = {
  agentId: string
  orgId: string
  name: string
  visibility: Visibility
  claimed: boolean
  archived: boolean
}

export type Agents = {
  /** Those of them that exist; they stay as they are until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
}
