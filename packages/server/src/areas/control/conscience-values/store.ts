import { type OrgValue, valueNameKey } from '@touchstone/protocol/cards'
import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { INITIAL, type Logged, type Setting, type StoredValue } from './conscience-set.ts'

type ConscienceTables = {
  conscience_setting: { org_id: string; mode: string; enabled: boolean; revision: number }
  conscience_value: {
    id: string
    org_id: string
    name: string
    name_key: string
    description: string
    type: string
    severity: string
    is_active: boolean
    sort_order: number
    created_by: string
    updated_by: string
    created_at: Date
    updated_at: Date
  }
  conscience_log: {
    org_id: string
    revision: number
    id: string
    action: string
    actor: string
    value_id: string | null
    changes: unknown
    metadata: unknown
    created_at: Date
  }
}

/** The setting with its number of changes. */
export type Revised = Setting & { revision: number }

export type LogEntry = Logged & {
  id: string
  orgId: string
  revision: number
  actor: string
  createdAt: Date
}

export type InForce = {
  revision: number
  values: readonly OrgValue[]
  replacesBase: boolean
}

export function createConscienceStore(db: Db) {
  const q = db.withTables<ConscienceTables>()
  return {
    /** Serialises concurrent writers, including those of the first change. */
    async lockOrCreateSettings(orgId: string): Promise<Revised> {
      await q
        .insertInto('conscience_setting')
        .values({ org_id: orgId, ...INITIAL, revision: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const row = await q
        .selectFrom('conscience_setting')
        .selectAll()
        .where('org_id', '=', orgId)
        .forUpdate()
        .executeTakeFirstOrThrow()
      return toSetting(row)
    },

    async find(orgId: string): Promise<Revised | undefined> {
      const row = await q
        .selectFrom('conscience_setting')
        .selectAll()
        .where('org_id', '=', orgId)
        .executeTakeFirst()
      return row && toSetting(row)
    },

    /** Sorted by `sortOrder`. */
    async list(orgId: string): Promise<StoredValue[]> {
      const rows = await q
        .selectFrom('conscience_value')
        .selectAll()
        .where('org_id', '=', orgId)
        .orderBy('sort_order')
        .orderBy('id')
        .execute()
      return rows.map(toValue)
    },

    /** Reads the values in force with one statement. */
    async findInForce(orgId: string): Promise<InForce | undefined> {
      const { rows } = await sql<{
        revision: number
        replaces: boolean
        list: OrgValue[]
      }>`
        select s.revision, s.enabled and s.mode = 'replace' as replaces,
          coalesce(json_agg(json_build_object(
            'type', v.type, 'name', v.name, 'content', v.description, 'severity', v.severity
          ) order by v.sort_order, v.id) filter (where v.id is not null), '[]') as list
        from conscience_setting s
        left join conscience_value v on v.org_id = s.org_id and v.is_active and s.enabled
        where s.org_id = ${orgId}
        group by s.org_id
      `.execute(q)
      const row = rows[0]
      return row && { revision: row.revision, values: row.list, replacesBase: row.replaces }
    },

    async saveSettings(orgId: string, { mode, enabled, revision }: Revised): Promise<void> {
      await q
        .updateTable('conscience_setting')
        .set({ mode, enabled, revision })
        .where('org_id', '=', orgId)
        .execute()
    },

    async save(value: StoredValue): Promise<void> {
      const { id, ...row } = toRow(value)
      await q
        .insertInto('conscience_value')
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },

    async remove(id: string): Promise<void> {
      await q.deleteFrom('conscience_value').where('id', '=', id).execute()
    },

    /** `ids` must be all ids of the organisation. */
    async saveOrder(orgId: string, ids: readonly string[]): Promise<void> {
      await sql`
        update conscience_value v set sort_order = o.place - 1
        from unnest(${[...ids]}::text[]) with ordinality o (id, place)
        where v.id = o.id and v.org_id = ${orgId}
      `.execute(q)
    },

    async insertLog(entry: LogEntry): Promise<void> {
      await q
        .insertInto('conscience_log')
        .values({
          org_id: entry.orgId,
          revision: entry.revision,
          id: entry.id,
          action: entry.action,
          actor: entry.actor,
          value_id: entry.valueId,
          changes: JSON.stringify(entry.changes),
          metadata: JSON.stringify(entry.metadata),
          created_at: entry.createdAt,
        })
        .execute()
    },

    /** Newest first. */
    async listLog(orgId: string, request: PageRequest): Promise<Page<LogEntry>> {
      const rows = q.selectFrom('conscience_log').where('org_id', '=', orgId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('revision', 'desc')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toEntry), total: counted.total }
    },

    async deleteOf(orgId: OrgId): Promise<void> {
      await asPurger(db, () => q.deleteFrom('conscience_log').where('org_id', '=', orgId).execute())
      await q.deleteFrom('conscience_value').where('org_id', '=', orgId).execute()
      await q.deleteFrom('conscience_setting').where('org_id', '=', orgId).execute()
    },
  }
}

function toSetting(row: ConscienceTables['conscience_setting']): Revised {
  const { mode, enabled, revision } = row
  return { mode: mode as Setting['mode'], enabled, revision }
}

function toValue(row: ConscienceTables['conscience_value']): StoredValue {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    description: row.description,
    type: row.type as StoredValue['type'],
    severity: row.severity as StoredValue['severity'],
    isActive: row.is_active,
    sortOrder: row.sort_order,
    createdBy: row.created_by,
    updatedBy: row.updated_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(value: StoredValue): ConscienceTables['conscience_value'] {
  return {
    id: value.id,
    org_id: value.orgId,
    name: value.name,
    name_key: valueNameKey(value.name),
    description: value.description,
    type: value.type,
    severity: value.severity,
    is_active: value.isActive,
    sort_order: value.sortOrder,
    created_by: value.createdBy,
    updated_by: value.updatedBy,
    created_at: value.createdAt,
    updated_at: value.updatedAt,
  }
}

function toEntry(row: ConscienceTables['conscience_log']): LogEntry {
  return {
    id: row.id,
    orgId: row.org_id,
    revision: row.revision,
    action: row.action as LogEntry['action'],
    actor: row.actor,
    valueId: row.value_id,
    changes: row.changes as LogEntry['changes'],
    metadata: row.metadata as LogEntry['metadata'],
    createdAt: row.created_at,
  }
}
