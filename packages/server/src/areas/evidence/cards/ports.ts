import type { OrgTemplate, OrgValue } from '@touchstone/protocol/cards'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** The agent with its row locked; throws `agent_not_found`, or `conflict` once archived. */
  lockForCard(tx: Db, agentId: string): Promise<{ orgId: string; cardVersion: number }>
  setCard(tx: Db, agentId: string, card: { cardId: string; version: number }): Promise<void>
  /** Once that is through, so that it holds here at once. */
  cardSet(agentId: string): void
  /** As somebody of these organisations may see it; throws `agent_not_found`. */
  get(
    agentId: string,
    orgIds: readonly string[],
  ): Promise<{ agent: { orgId: string; cardVersion: number }; own: boolean }>
}

/** What an organisation lays over the cards of its agents (02 §6.3). */
export type Templates = {
  /** From memory, else read through `db`. Numbers only grow; there is a number without a template. */
  inForce(
    db: Db,
    agent: { orgId: string; agentId: string },
  ): Promise<{ version: number; template: OrgTemplate | undefined }>
}

/** What an organisation lays down beside the cards of its agents (02 §6.2). */
export type OrgValues = {
  /** From memory, else read through `db`. Numbers only grow. */
  inForce(
    db: Db,
    orgId: string,
  ): Promise<{ revision: number; values: readonly OrgValue[]; replacesBase: boolean }>
}
