import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** The agent with its row locked; throws `agent_not_found`, or `conflict` once archived. */
  lockForCard(tx: Db, agentId: string): Promise<{ orgId: string; cardVersion: number }>
  setCard(tx: Db, agentId: string, card: { cardId: string; version: number }): Promise<void>
  /** As somebody of these organisations may see it; throws `agent_not_found`. */
  get(
    agentId: string,
    orgIds: readonly string[],
  ): Promise<{ agent: { cardVersion: number }; own: boolean }>
}
