import type { Db } from '../../../kernel/db.ts'

export type KnownAgent = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  archived: boolean
}

export type Agents = {
  /** Locks the agent until the transaction ends. Throws if it is archived. */
  lockOpen(tx: Db, agentId: string): Promise<{ orgId: string }>
  /** Returns the agents that exist, locked against changes until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly KnownAgent[]>
}
