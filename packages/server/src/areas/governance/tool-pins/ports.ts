import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /**
   * Keeps the agent from being archived or erased until the transaction ends. Throws
   * `agent_not_found` for an unknown agent or another organisation's, `conflict` if it is archived.
   */
  keepOpen(tx: Db, agent: { agentId: string; orgId: string }): Promise<void>
}
