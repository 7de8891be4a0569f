import type { Db } from '../../../kernel/db.ts'

export type KnownAgent = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  archived: boolean
}

export type Agents = {
  /** Others who want to change it wait until the transaction ends. Throws for an archived one. */
  lockOpen(tx: Db, agentId: string): Promise<{ orgId: string }>
  /** Those of them that there are; they stay as they are until the transaction ends. */
  describe(tx: Db, agentIds: readonly string[]): Promise<readonly KnownAgent[]>
}
