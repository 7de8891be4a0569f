import { type Static, Type } from 'typebox'
import { ROW_FORMATS } from '../../../exports/row-formats.ts'
import { ROWS_CONTENT } from '../../../http/answers/export-file.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, PageFields, PageQuery, toInstant, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { Render } from './export-service.ts'
import type { EntryFilter, StoredEntry } from './store.ts'

const FILTERS = {
  action: Type.Optional(Type.String({ maxLength: 100, description: 'exact action name' })),
  actor: Type.Optional(Type.String({ maxLength: 200, description: 'a user id or an API key id' })),
  target: Type.Optional(
    Type.String({ maxLength: 200, description: 'the id of the changed resource' }),
  ),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
}

export const AuditQuery = Type.Object({ ...FILTERS, ...PageQuery.properties })

export const AuditExportQuery = Type.Object({
  ...FILTERS,
  format: Type.Optional(NamedEnum('AuditExportFormat', [...ROW_FORMATS], { default: 'ndjson' })),
})

export const AuditExportAnswer = {
  description:
    'The entries as of the start of the export, newest first, as a file. NDJSON: one entry per line. CSV: a header row; nested values are JSON, and a cell that starts like a formula gets a leading apostrophe.',
  content: ROWS_CONTENT,
}

const Entry = NamedObject('AuditLogEntry', {
  id: Type.String(),
  org_id: Type.Union([Type.String(), Type.Null()]),
  action: Type.String(),
  actor: Type.Object({
    type: NamedEnum('ActorType', ['user', 'api_key', 'system']),
    id: Type.String(),
    impersonated_by: Type.Union([Type.String(), Type.Null()]),
  }),
  target: Type.Object({ type: Type.String(), id: Type.String() }),
  changes: Type.Record(
    Type.String(),
    NamedObject('FieldChange', { from: Type.Unknown(), to: Type.Unknown() }),
  ),
  ip: Type.Union([Type.String(), Type.Null()]),
  request_id: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String(),
})

export const AuditPage = NamedObject('AuditLogEntryPage', {
  entries: Type.Array(Entry),
  ...PageFields,
})

export function toFilter(query: Static<typeof AuditQuery>): EntryFilter {
  const { action, actor, target } = query
  return {
    action,
    actor,
    target,
    from: toInstant(query.from, 'from'),
    to: toInstant(query.to, 'to'),
  }
}

export const EXPORTED: Render = { fields: Object.keys(Entry.properties), record: toEntry }

export function toAuditPage(page: Page<StoredEntry>) {
  return {
    entries: page.items.map(toEntry),
    ...toPageFields(page),
  }
}

function toEntry(row: StoredEntry) {
  return {
    id: row.id,
    org_id: row.org_id,
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, impersonated_by: row.impersonated_by },
    target: { type: row.target_type, id: row.target_id },
    // The cast is safe, because only this feature writes entries.
    changes: row.changes as Record<string, { from: unknown; to: unknown }>,
    ip: row.ip,
    request_id: row.request_id,
    created_at: row.created_at.toISOString(),
  }
}
