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
  /** Locks the existing agents until the transaction ends; missing ones are left out. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly AgentFacts[]>
}
