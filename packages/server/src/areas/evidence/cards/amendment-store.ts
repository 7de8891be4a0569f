import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'

type AmendmentTables = {
  card_amendment: {
    agent_id: string
    amendment_id: string
    field_changed: string
    previous_value: unknown
    new_value: unknown
    reason: string
    from_version: number
    to_version: number
    created_at: Date
    created_by: string
  }
}

export type StoredAmendment = {
  amendmentId: string
  agentId: string
  field: string
  previousValue: unknown
  newValue: unknown
  reason: string
  fromVersion: number
  toVersion: number
  createdAt: Date
  createdBy: string
}

export type AmendmentCursor = Pick<StoredAmendment, 'toVersion' | 'amendmentId'>

/** Amendments in an inclusive time range, up to a version of the card. */
export type AmendmentRange = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  versionMax: number
}

/** Reads amendments: the fields that each version of a card changed. `store.ts` writes them. */
export function createAmendmentStore(db: Db) {
  const q = db.withTables<AmendmentTables>()
  return {
    /** Newest first. */
    async list(agentId: string, request: PageRequest): Promise<Page<StoredAmendment>> {
      const rows = q.selectFrom('card_amendment').where('agent_id', '=', agentId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('to_version', 'desc')
        .orderBy('amendment_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toAmendment), total: counted.total }
    },

    /** Oldest first. */
    async listAfter(
      range: AmendmentRange,
      after: AmendmentCursor | undefined,
      limit: number,
    ): Promise<StoredAmendment[]> {
      let rows = q
        .selectFrom('card_amendment')
        .selectAll()
        .where('agent_id', '=', range.agentId)
        .where('to_version', '<=', range.versionMax)
      if (range.from !== undefined) rows = rows.where('created_at', '>=', range.from)
      if (range.to !== undefined) rows = rows.where('created_at', '<=', range.to)
      if (after !== undefined) {
        rows = rows.where(
          sql<boolean>`(to_version, amendment_id) > (${after.toVersion}, ${after.amendmentId})`,
        )
      }
      const found = await rows.orderBy('to_version').orderBy('amendment_id').limit(limit).execute()
      return found.map(toAmendment)
    },

    /** Zero if nothing was amended. */
    async lastVersion(agentId: string): Promise<number> {
      const found = await q
        .selectFrom('card_amendment')
        .select(sql<number>`coalesce(max(to_version), 0)`.as('version'))
        .where('agent_id', '=', agentId)
        .executeTakeFirstOrThrow()
      return found.version
    },

    async find(agentId: string, amendmentId: string): Promise<StoredAmendment | undefined> {
      const row = await q
        .selectFrom('card_amendment')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('amendment_id', '=', amendmentId)
        .executeTakeFirst()
      return row && toAmendment(row)
    },

    /** Within any of these periods, bounds included; oldest first. */
    async listWithin(
      agentId: string,
      periods: readonly { from: Date; to: Date }[],
    ): Promise<StoredAmendment[]> {
      const within = sql<boolean>`exists (
        select from unnest(${periods.map(({ from }) => from)}::timestamptz[],
          ${periods.map(({ to }) => to)}::timestamptz[]) as period (starts, ends)
        where created_at between starts and ends)`
      const found = await q
        .selectFrom('card_amendment')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where(within)
        .orderBy('to_version')
        .orderBy('amendment_id')
        .execute()
      return found.map(toAmendment)
    },
  }
}

function toAmendment(row: AmendmentTables['card_amendment']): StoredAmendment {
  return {
    amendmentId: row.amendment_id,
    agentId: row.agent_id,
    field: row.field_changed,
    previousValue: row.previous_value,
    newValue: row.new_value,
    reason: row.reason,
    fromVersion: row.from_version,
    toVersion: row.to_version,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}
