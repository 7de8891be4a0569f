import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { StoredEntry } from './store.ts'

export const AuditQuery = Type.Object({
  action: Type.Optional(Type.String({ maxLength: 100, description: 'exact action name' })),
  actor: Type.Optional(Type.String({ maxLength: 200, description: 'a user id or an API key id' })),
  target: Type.Optional(
    Type.String({ maxLength: 200, description: 'the id of the changed resource' }),
  ),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  ...PageQuery.properties,
})

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
    changes: row.changes as Record<string, { from: unknown; to: unknown }>,
    ip: row.ip,
    request_id: row.request_id,
    created_at: row.created_at.toISOString(),
  }
}
