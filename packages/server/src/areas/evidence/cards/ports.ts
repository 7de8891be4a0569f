import type { OrgTemplate, OrgValue } from '@touchstone/protocol/cards'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Locks the agent's row. Throws `agent_not_found`, or `conflict` if it is archived. */
  lockForCard(tx: Db, agentId: string): Promise<{ orgId: string; cardVersion: number }>
  setCard(tx: Db, agentId: string, card: { cardId: string; version: number }): Promise<void>
  /** Called after commit, to invalidate caches of this node immediately. */
  cardSet(agentId: string): void
  /** Throws `agent_not_found`, also for an agent that is hidden from these organisations. */
  get(
    agentId: string,
    orgIds: readonly string[],
  ): Promise<{ agent: { orgId: string; cardVersion: number }; own: boolean }>
}

/** Card templates of organisations (spec: control §3.3). */
export type Templates = {
  /** Cached; on a miss, reads through `db`. Versions only grow; there is one without a template. */
  inForce(
    db: Db,
    agent: { orgId: string; agentId: string },
  ): Promise<{ version: number; template: OrgTemplate | undefined }>
}

/** Conscience values of organisations (spec: control §3.2). */
export type OrgValues = {
  /** Cached; on a miss, reads through `db`. Revisions only grow. */
  inForce(
    db: Db,
    orgId: string,
  ): Promise<{ revision: number; values: readonly OrgValue[]; replacesBase: boolean }>
}
