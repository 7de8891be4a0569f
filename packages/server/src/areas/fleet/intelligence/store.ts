import type { Forecast, Recommendation } from '@touchstone/protocol/intelligence'
import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type {
  Analysis,
  AnalysisItem,
  FallbackReason,
  ForecastItem,
  Item,
  ItemType,
  ListedItem,
  Producer,
} from './item.ts'

type InsightRow = {
  item_id: string
  org_id: string
  team_id: string
  type: ItemType
  analysis_id: string
  agent_ids: string[]
  producer_kind: Producer['kind']
  producer_name: string
  producer_version: string
  fallback_reason: FallbackReason | null
  content: unknown
  created_at: Date
}

/** The database assigns the positions. */
type InsightTables = { team_insight: InsightRow & { position: never } }

const LISTED = [
  'item_id',
  'type',
  'created_at',
  'producer_kind',
  'producer_name',
  'producer_version',
] as const
/** All columns except those that are only used to find rows. */
const WHOLE = [...LISTED, 'org_id', 'team_id', 'analysis_id', 'fallback_reason', 'content'] as const

export function createInsightStore(db: Db) {
  const q = db.withTables<InsightTables>()
  const latest = <Type extends ItemType>(type: Type) =>
    q
      .selectFrom('team_insight')
      .select(WHOLE)
      .where('type', '=', type)
      .orderBy('position', 'desc')
      .limit(1)
  return {
    /** `agentIds`: all agents that the item names. */
    async insert(item: Item, agentIds: readonly string[]): Promise<void> {
      await sql`insert into team_insight (item_id, org_id, team_id, type, analysis_id, agent_ids,
          producer_kind, producer_name, producer_version, fallback_reason, content, created_at)
        values (${item.itemId}, ${item.orgId}, ${item.teamId}, ${item.type}, ${item.analysisId},
          ${agentIds}, ${item.producedBy.kind}, ${item.producedBy.name},
          ${item.producedBy.version}, ${item.fallbackReason}, ${JSON.stringify(item.content)},
          ${item.createdAt})`.execute(q)
    },

    async find(itemId: string): Promise<Item | undefined> {
      const row = await q
        .selectFrom('team_insight')
        .select(WHOLE)
        .where('item_id', '=', itemId)
        .executeTakeFirst()
      return row && toItem(row)
    },

    async findLatestAnalysis(teamId: string): Promise<AnalysisItem | undefined> {
      const row = await latest('fault_lines').where('team_id', '=', teamId).executeTakeFirst()
      const item = row && toItem(row)
      return item?.type === 'fault_lines' ? item : undefined
    },

    async findLatestForecast(analysisId: string): Promise<ForecastItem | undefined> {
      const row = await latest('forecast').where('analysis_id', '=', analysisId).executeTakeFirst()
      const item = row && toItem(row)
      return item?.type === 'forecast' ? item : undefined
    },

    /** Newest first. */
    async list(
      filter: { teamId: string; type: ItemType | undefined },
      request: PageRequest,
    ): Promise<Page<ListedItem>> {
      const ofTeam = q.selectFrom('team_insight').where('team_id', '=', filter.teamId)
      const rows = filter.type === undefined ? ofTeam : ofTeam.where('type', '=', filter.type)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .select(LISTED)
        .orderBy('position', 'desc')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toListed), total: counted.total }
    },

    deleteOfAgent: (agentId: string): Promise<void> =>
      asPurger(db, async () => {
        await sql`delete from team_insight where agent_ids @> ${[agentId]}::text[]`.execute(q)
      }),

    deleteOfTeam: (teamId: string): Promise<void> =>
      asPurger(db, async () => {
        await q.deleteFrom('team_insight').where('team_id', '=', teamId).execute()
      }),

    deleteBefore: (time: Date, rowsMax: number): Promise<number> =>
      asPurger(db, async () => {
        const deleted = await sql`delete from team_insight where item_id in (
          select item_id from team_insight where created_at < ${time}
          order by created_at limit ${rowsMax})`.execute(q)
        return Number(deleted.numAffectedRows ?? 0)
      }),
  }
}

function toListed(row: Pick<InsightRow, (typeof LISTED)[number]>): ListedItem {
  return {
    itemId: row.item_id,
    type: row.type,
    createdAt: row.created_at,
    producedBy: {
      kind: row.producer_kind,
      name: row.producer_name,
      version: row.producer_version,
    },
  }
}

function toItem(row: Pick<InsightRow, (typeof WHOLE)[number]>): Item {
  const { type, content } = row
  const fields = {
    ...toListed(row),
    orgId: row.org_id,
    teamId: row.team_id,
    analysisId: row.analysis_id,
    fallbackReason: row.fallback_reason,
  }
  // The casts are safe: rows are written by `insert` only and never updated.
  switch (type) {
    case 'fault_lines':
      return { ...fields, type, content: content as Analysis }
    case 'forecast':
      return { ...fields, type, content: content as Forecast }
    case 'recommendation':
      return { ...fields, type, content: content as Recommendation }
  }
}
