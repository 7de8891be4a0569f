import { type ConscienceValue, type ValueSeverity, valueNameKey } from '@touchstone/protocol/cards'

/** An organisation's conscience values and the changes allowed to them (spec: control §3.1). */

export const VALUES_MAX = 20
export const MODES = ['augment', 'replace'] as const
export type Mode = (typeof MODES)[number]

export type Setting = { mode: Mode; enabled: boolean }

/** The setting before the first change. */
export const INITIAL: Setting = { mode: 'augment', enabled: true }

/** The fields set by the author of a value. */
export type ValueFields = {
  name: string
  description: string
  type: ConscienceValue['type']
  severity: ValueSeverity
  isActive: boolean
}

export type StoredValue = ValueFields & {
  id: string
  orgId: string
  sortOrder: number
  createdBy: string
  updatedBy: string
  createdAt: Date
  updatedAt: Date
}

export const ACTIONS = [
  'create',
  'update',
  'activate',
  'deactivate',
  'delete',
  'reorder',
  'mode_change',
] as const
export type Action = (typeof ACTIONS)[number]

/** One change as recorded in the log. */
export type Logged = {
  action: Action
  valueId: string | null
  changes: Readonly<Record<string, { from: unknown; to: unknown }>>
  metadata: Readonly<Record<string, unknown>>
}

/** The author and time of a change. */
export type Touch = { by: string; at: Date }

export type Written<Result> =
  | { outcome: 'changed'; result: Result; logged: Logged }
  /** The change has no effect. */
  | { outcome: 'same'; result: Result }
  | { outcome: 'unknown' | 'full' | 'name_taken' | 'not_every_id_once' }

/** Appends the value at the end of the order. */
export function addValue(
  values: readonly StoredValue[],
  fields: ValueFields,
  made: Touch & { id: string; orgId: string },
): Written<StoredValue> {
  if (values.length >= VALUES_MAX) return { outcome: 'full' }
  if (isTaken(values, fields.name)) return { outcome: 'name_taken' }
  const { id, orgId, by, at } = made
  const sortOrder = Math.max(-1, ...values.map((value) => value.sortOrder)) + 1
  const result = {
    ...fields,
    id,
    orgId,
    sortOrder,
    createdBy: by,
    updatedBy: by,
    createdAt: at,
    updatedAt: at,
  }
  return { outcome: 'changed', result, logged: logEntry('create', result, differences({}, fields)) }
}

export function changeValue(
  values: readonly StoredValue[],
  valueId: string,
  patch: Partial<ValueFields>,
  { by, at }: Touch,
): Written<StoredValue> {
  const before = values.find(({ id }) => id === valueId)
  if (before === undefined) return { outcome: 'unknown' }
  const others = values.filter(({ id }) => id !== valueId)
  if (patch.name !== undefined && isTaken(others, patch.name)) return { outcome: 'name_taken' }
  const after = { ...before, ...patch }
  const changes = differences(fieldsOf(before), fieldsOf(after))
  const changed = Object.keys(changes)
  if (changed.length === 0) return { outcome: 'same', result: before }
  const onlySwitched = changed.length === 1 && changed[0] === 'is_active'
  const switched = after.isActive ? 'activate' : 'deactivate'
  const result = { ...after, updatedBy: by, updatedAt: at }
  const logged = logEntry(onlySwitched ? switched : 'update', result, changes)
  return { outcome: 'changed', result, logged }
}

export function removeValue(values: readonly StoredValue[], valueId: string): Written<StoredValue> {
  const result = values.find(({ id }) => id === valueId)
  if (result === undefined) return { outcome: 'unknown' }
  const changes = differences(fieldsOf(result), {})
  return { outcome: 'changed', result, logged: logEntry('delete', result, changes) }
}

/** `values` must be sorted by `sortOrder`. */
export function reorderValues(
  values: readonly StoredValue[],
  order: readonly string[],
): Written<readonly string[]> {
  const before = values.map(({ id }) => id)
  const isComplete = order.length === before.length && before.every((id) => order.includes(id))
  if (!isComplete) return { outcome: 'not_every_id_once' }
  if (before.every((id, index) => order[index] === id)) return { outcome: 'same', result: order }
  const changes = { order: { from: before, to: order } }
  const logged = { action: 'reorder', valueId: null, changes, metadata: {} } as const
  return { outcome: 'changed', result: order, logged }
}

export function switchMode(before: Setting, wanted: Partial<Setting>): Written<Setting> {
  const result = { ...before, ...wanted }
  const changes = differences(before, result)
  if (Object.keys(changes).length === 0) return { outcome: 'same', result: before }
  const logged = { action: 'mode_change', valueId: null, changes, metadata: {} } as const
  return { outcome: 'changed', result, logged }
}

function isTaken(values: readonly StoredValue[], name: string): boolean {
  return values.some((value) => valueNameKey(value.name) === valueNameKey(name))
}

function fieldsOf({ name, description, type, severity, isActive }: ValueFields): ValueFields {
  return { name, description, type, severity, isActive }
}

/** Includes the name, so that entries stay readable after the value is deleted. */
function logEntry(
  action: Action,
  { id, name }: Pick<StoredValue, 'id' | 'name'>,
  changes: Logged['changes'],
): Logged {
  return { action, valueId: id, changes, metadata: { name } }
}

/** The field names of the API, used in the log. */
const LOGGED_NAME: Readonly<Record<string, string>> = { isActive: 'is_active' }

function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Logged['changes'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(
    names
      .filter((name) => before[name] !== after[name])
      .map((name) => [
        LOGGED_NAME[name] ?? name,
        { from: before[name] ?? null, to: after[name] ?? null },
      ]),
  )
}
