import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Locks the agent until the transaction ends; throws `conflict` if it is archived. */
  assertOpen(tx: Db, agentId: string): Promise<void>
}

export type Teams = {
  /** Locks the team until the transaction ends; throws `conflict` if it is archived. */
  assertActive(tx: Db, teamId: string): Promise<void>
}

/** The card of an agent with the template of its organisation applied. */
export type CardInForce = {
  /** Changes with every new card. */
  cardId: string
  /** The card without the template. */
  declared: AlignmentCard
  card: AlignmentCard
  /** The version of the organisation's template, even if the agent is exempt; it only increases. */
  templateVersion: number
  /** Identifies the template that was applied to this card, if any. */
  templateStamp: string
}

export type Cards = {
  find(agentId: string): Promise<CardInForce | undefined>
}
