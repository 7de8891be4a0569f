import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { Db } from '../../../kernel/db.ts'

export type Teams = {
  /** Locks the team until the transaction ends; throws `conflict` if it is archived. */
  lockActive(tx: Db, teamId: string): Promise<{ orgId: string }>
  membersOf(db: Db, teamId: string): Promise<readonly string[]>
}

export type Cards = {
  /** The agents' current cards, except expired ones. */
  activeCards(
    db: Db,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; card: AlignmentCard }[]>
}

export type Orgs = {
  /** Undefined for an erased organisation. */
  accountOf(db: Db, orgId: string): Promise<string | undefined>
}
