import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { TeamId } from '../../../kernel/ids.ts'
import type { CardSource, ListedTeamCard, StoredTeamCard, TeamCard } from './team-card.ts'

type TeamCardTables = {
  team_card: {
    team_id: string
    version: number
    card_id: string
    card_json: unknown
    card_source: string
    actor_id: string
    issued_at: Date
  }
}

export function createTeamCardStore(db: Db) {
  const q = db.withTables<TeamCardTables>()
  const cardsOf = (teamId: string) => q.selectFrom('team_card').where('team_id', '=', teamId)
  return {
    async insert(stored: StoredTeamCard): Promise<void> {
      await q
        .insertInto('team_card')
        .values({
          team_id: stored.teamId,
          version: stored.version,
          card_id: stored.cardId,
          card_json: JSON.stringify(stored.card),
          card_source: stored.source,
          actor_id: stored.actorId,
          issued_at: stored.issuedAt,
        })
        .execute()
    },

    /** The newest version is the active one. */
    async findActive(teamId: string): Promise<StoredTeamCard | undefined> {
      const row = await cardsOf(teamId)
        .selectAll()
        .orderBy('version', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toStored(row)
    },

    /** Newest first. */
    async list(
      teamId: string,
      request: PageRequest,
      { withCards }: { withCards: boolean },
    ): Promise<Page<ListedTeamCard>> {
      const rows = cardsOf(teamId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .select(['team_id', 'version', 'card_id', 'card_source', 'actor_id', 'issued_at'])
        .$if(withCards, (query) => query.select('card_json'))
        .orderBy('version', 'desc')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toListed), total: counted.total }
    },

    async deleteOf(teamId: TeamId): Promise<void> {
      await asPurger(db, () => q.deleteFrom('team_card').where('team_id', '=', teamId).execute())
    },
  }
}

function toStored(row: TeamCardTables['team_card']): StoredTeamCard {
  return { ...toListed(row), card: row.card_json as TeamCard }
}

function toListed(
  row: Omit<TeamCardTables['team_card'], 'card_json'> & { card_json?: unknown },
): ListedTeamCard {
  return {
    teamId: row.team_id,
    version: row.version,
    cardId: row.card_id,
    card: row.card_json as TeamCard | undefined,
    source: row.card_source as CardSource,
    actorId: row.actor_id,
    issuedAt: row.issued_at,
  }
}
