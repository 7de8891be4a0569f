import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { Db } from '../../../kernel/db.ts'

export type Teams = {
  /** Keeps the team as it is until the transaction ends; throws `conflict` once archived. */
  lockActive(tx: Db, teamId: string): Promise<{ orgId: string }>
  membersOf(db: Db, teamId: string): Promise<readonly string[]>
}

export type Cards = {
  /** As agents declare them now; without those that have expired. */
  activeCards(
    db: Db,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; card: AlignmentCard }[]>
}

export type Orgs = {
  /** Undefined for an organisation that is no more. */
  accountOf(db: Db, orgId: string): Promise<string | undefined>
}
