import type { AlignmentCard } from '@touchstone/protocol'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Keeps the agent as it is until the transaction ends; throws `conflict` once archived. */
  assertOpen(tx: Db, agentId: string): Promise<void>
}

export type Cards = {
  /** What the agent is held against now; another card has another id. */
  find(agentId: string): Promise<{ cardId: string; card: AlignmentCard } | undefined>
}
