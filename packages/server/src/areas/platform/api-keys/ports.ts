import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'

export type Organisations = {
  /**
   * The person's current role. Locks the organisation, so that no key is created while the person
   * is being removed or the organisation deleted. Throws `not_found` for a non-member.
   */
  roleIn(tx: Db, orgId: string, userId: string): Promise<Role>
}

export type Agents = {
  /**
   * Keeps the agent from being archived or erased until the transaction ends. Throws
   * `agent_not_found` for an unknown agent or another organisation's, `conflict` if it is archived.
   */
  keepOpen(tx: Db, agent: { agentId: string; orgId: string }): Promise<void>
}
