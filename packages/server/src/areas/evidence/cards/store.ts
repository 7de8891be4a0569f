import type { AlignmentCard, ConscienceValue } from '@touchstone/protocol/cards'
import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'

type CardTables = {
  card_version: {
    agent_id: string
    version: number
    card_id: string
    card_json: unknown
    conscience_values: unknown
    reason: string
    changed_fields: string[]
    issued_at: Date
    created_at: Date
    created_by: string
  }
  card_amendment: {
    agent_id: string
    amendment_id: string
    field_changed: string
    previous_value: string
    new_value: string
    reason: string
    from_version: number
    to_version: number
    created_at: Date
    created_by: string
  }
}

export type StoredCard = {
  agentId: string
  version: number
  cardId: string
  card: AlignmentCard
  conscienceValues: readonly ConscienceValue[]
  reason: string
  changedFields: readonly string[]
  issuedAt: Date
  createdAt: Date
  createdBy: string
}

export type ActiveCard = { agentId: string; card: AlignmentCard }
export type ActiveValues = {
  agentId: string
  declared: readonly string[]
  conflictsWith: readonly string[]
}

export type Amendment = {
  amendmentId: string
  field: string
  previousValue: unknown
  newValue: unknown
}

export function createCardStore(db: Db) {
  const q = db.withTables<CardTables>()
  return {
    async insert(stored: StoredCard): Promise<void> {
      await q
        .insertInto('card_version')
        .values({
          agent_id: stored.agentId,
          version: stored.version,
          card_id: stored.cardId,
          card_json: JSON.stringify(stored.card),
          conscience_values: JSON.stringify(stored.conscienceValues),
          reason: stored.reason,
          changed_fields: [...stored.changedFields],
          issued_at: stored.issuedAt,
          created_at: stored.createdAt,
          created_by: stored.createdBy,
        })
        .execute()
    },

    async insertAmendments(stored: StoredCard, amendments: readonly Amendment[]): Promise<void> {
      if (amendments.length === 0) return
      await q
        .insertInto('card_amendment')
        .values(
          amendments.map((amendment) => ({
            agent_id: stored.agentId,
            amendment_id: amendment.amendmentId,
            field_changed: amendment.field,
            previous_value: JSON.stringify(amendment.previousValue),
            new_value: JSON.stringify(amendment.newValue),
            reason: stored.reason,
            from_version: stored.version - 1,
            to_version: stored.version,
            created_at: stored.createdAt,
            created_by: stored.createdBy,
          })),
        )
        .execute()
    },

    async find(agentId: string, version: number): Promise<StoredCard | undefined> {
      const row = await q
        .selectFrom('card_version')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('version', '=', version)
        .executeTakeFirst()
      return row && toStored(row)
    },

    /** By agent id, omitting versions that do not exist. */
    async listCards(
      wanted: readonly { agentId: string; version: number }[],
    ): Promise<Map<string, AlignmentCard>> {
      const found = await sql<{ agent_id: string; card_json: unknown }>`
        select c.agent_id, c.card_json
        from unnest(${wanted.map((one) => one.agentId)}::text[],
                    ${wanted.map((one) => one.version)}::integer[]) as w (agent_id, version)
        join card_version c on c.agent_id = w.agent_id and c.version = w.version`.execute(db)
      return new Map(found.rows.map((row) => [row.agent_id, row.card_json as AlignmentCard]))
    },

    async findById(agentId: string, cardId: string): Promise<StoredCard | undefined> {
      const row = await q
        .selectFrom('card_version')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('card_id', '=', cardId)
        .executeTakeFirst()
      return row && toStored(row)
    },

    /** The version in force at that time; without a time, the newest. */
    async findActive(agentId: string, at?: Date): Promise<StoredCard | undefined> {
      let rows = q.selectFrom('card_version').selectAll().where('agent_id', '=', agentId)
      if (at !== undefined) rows = rows.where('created_at', '<=', at)
      const row = await rows.orderBy('version', 'desc').limit(1).executeTakeFirst()
      return row && toStored(row)
    },

    /** The newest card of each agent, in order of agent id, without expired ones. */
    async listActive(agentIds: readonly string[], now: Date): Promise<ActiveCard[]> {
      const found = await sql<{ agent_id: string; card_json: unknown }>`
        select agent_id, card_json from (
          select distinct on (agent_id) agent_id, card_json from card_version
          where agent_id = any(${agentIds}) order by agent_id, version desc) as newest
        where ${unexpired(now)} order by agent_id`.execute(db)
      return found.rows.map((row) => ({
        agentId: row.agent_id,
        card: row.card_json as AlignmentCard,
      }))
    },

    /** Only their values, because whole cards can be large. */
    async listActiveValues(agentIds: readonly string[], now: Date): Promise<ActiveValues[]> {
      const found = await sql<{ agent_id: string; values: AlignmentCard['values'] }>`
        select agent_id, card_json -> 'values' as values from (
          select distinct on (agent_id) agent_id, card_json from card_version
          where agent_id = any(${agentIds}) order by agent_id, version desc) as newest
        where ${unexpired(now)} order by agent_id`.execute(db)
      return found.rows.map(({ agent_id: agentId, values }) => ({
        agentId,
        declared: values.declared,
        conflictsWith: values.conflicts_with ?? [],
      }))
    },

    /** The agent whose card has this id, if any. */
    async agentOfCard(cardId: string): Promise<string | undefined> {
      const row = await q
        .selectFrom('card_version')
        .select('agent_id')
        .where('card_id', '=', cardId)
        .executeTakeFirst()
      return row?.agent_id
    },

    /** Newest first. */
    async list(agentId: string, request: PageRequest): Promise<Page<StoredCard>> {
      const rows = q.selectFrom('card_version').where('agent_id', '=', agentId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('version', 'desc')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toStored), total: counted.total }
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('card_amendment').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('card_version').where('agent_id', '=', agentId).execute()
      })
    },
  }
}

function unexpired(now: Date) {
  return sql`coalesce((card_json ->> 'expires_at')::timestamptz > ${now}, true)`
}

function toStored(row: CardTables['card_version']): StoredCard {
  return {
    agentId: row.agent_id,
    version: row.version,
    cardId: row.card_id,
    card: row.card_json as AlignmentCard,
    conscienceValues: row.conscience_values as ConscienceValue[],
    reason: row.reason,
    changedFields: row.changed_fields,
    issuedAt: row.issued_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}
