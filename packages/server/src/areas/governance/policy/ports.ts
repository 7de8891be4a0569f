import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Keeps the agent as it is until the transaction ends; throws `conflict` once archived. */
  assertOpen(tx: Db, agentId: string): Promise<void>
}

export type Teams = {
  /** Keeps the team as it is until the transaction ends; throws `conflict` once archived. */
  assertActive(tx: Db, teamId: string): Promise<void>
}

/** What an agent is held against: its card with what its organisation lays over it. */
export type HeldCard = {
  /** Another card has another id. */
  cardId: string
  /** As the agent has it. */
  declared: AlignmentCard
  card: AlignmentCard
  /** Of the organisation's template, whether or not it holds for the agent; it only grows. */
  templateVersion: number
  /** Names what was laid over this card, if anything was. */
  templateStamp: string
}

export type Cards = {
  find(agentId: string): Promise<HeldCard | undefined>
}
