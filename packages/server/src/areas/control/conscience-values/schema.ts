import { CONSCIENCE_TYPES, type EffectiveValue, VALUE_SEVERITIES } from '@touchstone/protocol/cards'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable, OrgParams, PageFields, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import {
  ACTIONS,
  MODES,
  type Setting,
  type StoredValue,
  VALUES_MAX,
  type ValueFields,
} from './conscience-set.ts'
import type { ConscienceSet } from './service.ts'
import type { LogEntry } from './store.ts'

export const ValueParams = Type.Object({ ...OrgParams.properties, value_id: Type.String() })

const Name = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '\\S',
  description: 'unique in the organisation; case is ignored',
})
const Description = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  description: 'the text of the value, which agents are checked against',
})
const ValueType = NamedEnum('ConscienceType', [...CONSCIENCE_TYPES])
const Severity = NamedEnum('ConscienceSeverity', [...VALUE_SEVERITIES], {
  description: 'mandatory is treated as BOUNDARY whatever the type; an advisory BOUNDARY as FEAR',
})
const Mode = NamedEnum('ConscienceMode', [...MODES], {
  description: 'augment adds to the base values; replace omits them',
})

export const ValueBody = NamedObject('NewConscienceValue', {
  name: Name,
  description: Description,
  type: ValueType,
  severity: Type.Optional(Severity),
})

export const ValuePatch = NamedObject('ConscienceValueChanges', {
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  type: Type.Optional(ValueType),
  severity: Type.Optional(Severity),
  is_active: Type.Optional(Type.Boolean()),
})

export const OrderBody = NamedObject('ConscienceOrder', {
  order: Type.Array(Type.String(), { description: 'the ids of all values, each once' }),
})

export const ModeBody = NamedObject('ConscienceSettingsChange', {
  mode: Type.Optional(Mode),
  enabled: Type.Optional(Type.Boolean()),
})

export const ValueAnswer = NamedObject('ConscienceValue', {
  id: Type.String(),
  org_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  type: ValueType,
  severity: Severity,
  is_active: Type.Boolean(),
  sort_order: Type.Integer(),
  created_by: Type.String(),
  updated_by: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
})

const SettingFields = { org_id: Type.String(), mode: Mode, enabled: Type.Boolean() }

export const ValueSet = NamedObject('ConscienceValueSet', {
  ...SettingFields,
  values: Type.Array(ValueAnswer, { maxItems: VALUES_MAX }),
})

export const ModeAnswer = NamedObject('ConscienceSettings', SettingFields)

export const ValueDeleted = NamedObject(
  'DeletedConscienceValue',
  {
    deleted: Type.Literal(true),
    id: Type.String(),
  },
  { description: 'The conscience value is deleted' },
)

export const Reordered = NamedObject(
  'ReorderedConscienceValues',
  {
    reordered: Type.Boolean({ description: 'false if the order is unchanged' }),
    order: Type.Array(Type.String()),
  },
  { description: 'The new order' },
)

export const ValueLog = NamedObject('ConscienceValueChangePage', {
  org_id: Type.String(),
  entries: Type.Array(
    NamedObject('ConscienceValueLogEntry', {
      id: Type.String(),
      org_id: Type.String(),
      action: NamedEnum('ConscienceAction', [...ACTIONS]),
      actor: Type.String({ description: 'a user id or an API key id' }),
      value_id: Nullable(Type.String({ description: 'null for reorder and mode_change' })),
      changes: Type.Record(
        Type.String(),
        NamedObject('FieldChange', { from: Type.Unknown(), to: Type.Unknown() }),
      ),
      metadata: Type.Record(Type.String(), Type.Unknown()),
      created_at: Type.String(),
    }),
  ),
  ...PageFields,
})

export const ResolvedValues = NamedObject(
  'AgentConscienceValues',
  {
    agent_id: Type.String(),
    values: Type.Array(
      NamedObject('AgentConscienceValue', {
        type: ValueType,
        name: Type.String(),
        content: Type.String(),
        severity: Nullable(Severity),
        source: NamedEnum('ConscienceSource', ['base', 'org', 'template', 'agent']),
      }),
    ),
  },
  { description: 'The conscience values that apply to the agent' },
)

export function toNewValue(body: Static<typeof ValueBody>): ValueFields {
  const { name, description, type, severity = 'advisory' } = body
  return { name, description, type, severity, isActive: true }
}

export function toPatch(body: Static<typeof ValuePatch>): Partial<ValueFields> {
  const { is_active: isActive, name, description, type, severity } = body
  return given({ name, description, type, severity, isActive })
}

export function toSetting({ mode, enabled }: Static<typeof ModeBody>): Partial<Setting> {
  return given({ mode, enabled })
}

/** Drops undefined fields. */
function given<Fields extends object>(
  fields: Fields,
): { [K in keyof Fields]?: Exclude<Fields[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as { [K in keyof Fields]?: Exclude<Fields[K], undefined> }
}

export function toValue(value: StoredValue) {
  return {
    id: value.id,
    org_id: value.orgId,
    name: value.name,
    description: value.description,
    type: value.type,
    severity: value.severity,
    is_active: value.isActive,
    sort_order: value.sortOrder,
    created_by: value.createdBy,
    updated_by: value.updatedBy,
    created_at: value.createdAt.toISOString(),
    updated_at: value.updatedAt.toISOString(),
  }
}

export function toValueSet({ orgId, mode, enabled, values }: ConscienceSet) {
  return { org_id: orgId, mode, enabled, values: values.map(toValue) }
}

export function toMode(orgId: string, { mode, enabled }: Setting) {
  return { org_id: orgId, mode, enabled }
}

export function toReordered({ result, changed }: { result: readonly string[]; changed: boolean }) {
  return { reordered: changed, order: [...result] }
}

export function toValueLog(orgId: string, page: Page<LogEntry>) {
  return {
    org_id: orgId,
    entries: page.items.map((entry) => ({
      id: entry.id,
      org_id: entry.orgId,
      action: entry.action,
      actor: entry.actor,
      value_id: entry.valueId,
      changes: { ...entry.changes },
      metadata: { ...entry.metadata },
      created_at: entry.createdAt.toISOString(),
    })),
    ...toPageFields(page),
  }
}

export function toResolved(agentId: string, values: readonly EffectiveValue[]) {
  return { agent_id: agentId, values: [...values] }
}
