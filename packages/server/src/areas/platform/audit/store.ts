import { sql } from 'kysely'
import type { AuditEntry } from '../../../audit.ts'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'

type AuditTables = {
  audit_entry: {
    id: string
    org_id: string | null
    action: string
    actor_type: 'user' | 'api_key' | 'system'
    actor_id: string
    impersonated_by: string | null
    target_type: string
    target_id: string
    changes: unknown
    ip: string | null
    request_id: string | null
    created_at: Date
  }
}

export type StoredEntry = AuditTables['audit_entry']

export type EntryFilter = {
  action: string | undefined
  actor: string | undefined
  target: string | undefined
  from: Date | undefined
  to: Date | undefined
}

export function createAuditStore(db: Db) {
  const q = db.withTables<AuditTables>()
  const matching = (orgId: string, filter: EntryFilter) => {
    let rows = q.selectFrom('audit_entry').where('org_id', '=', orgId)
    if (filter.action !== undefined) rows = rows.where('action', '=', filter.action)
    if (filter.actor !== undefined) rows = rows.where('actor_id', '=', filter.actor)
    if (filter.target !== undefined) rows = rows.where('target_id', '=', filter.target)
    if (filter.from !== undefined) rows = rows.where('created_at', '>=', filter.from)
    if (filter.to !== undefined) rows = rows.where('created_at', '<', filter.to)
    return rows
  }
  return {
    async insert(id: string, entry: AuditEntry, createdAt: Date): Promise<void> {
      await q
        .insertInto('audit_entry')
        .values({
          id,
          org_id: entry.orgId,
          action: entry.action,
          actor_type: entry.actor.type,
          actor_id: entry.actor.id,
          impersonated_by: entry.actor.impersonatedBy,
          target_type: entry.target.type,
          target_id: entry.target.id,
          changes: JSON.stringify(entry.changes ?? {}),
          ip: entry.actor.ip,
          request_id: entry.actor.requestId,
          created_at: createdAt,
        })
        .execute()
    },

    /** Newest first. */
    async list(
      orgId: string,
      filter: EntryFilter,
      request: PageRequest,
    ): Promise<Page<StoredEntry>> {
      const rows = matching(orgId, filter)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items, total: counted.total }
    },

    /** Newest first. */
    async listAfter(
      orgId: string,
      filter: EntryFilter,
      { after, limit }: { after: StoredEntry | undefined; limit: number },
    ): Promise<StoredEntry[]> {
      let rows = matching(orgId, filter)
      if (after !== undefined) {
        // PostgreSQL keeps microseconds, which a Date of the last entry has lost.
        rows = rows.where(
          sql<boolean>`(created_at, id) < ((select created_at from audit_entry where id = ${after.id}), ${after.id})`,
        )
      }
      return rows
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await asPurger(db, () => q.deleteFrom('audit_entry').where('org_id', '=', orgId).execute())
    },
  }
}
