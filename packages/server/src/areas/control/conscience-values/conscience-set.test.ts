import { describe, expect, it } from 'vitest'
import {
  addValue,
  changeValue,
  INITIAL,
  removeValue,
  reorderValues,
  type StoredValue,
  switchMode,
  VALUES_MAX,
  type ValueFields,
} from './conscience-set.ts'

const MONDAY = new Date('2026-03-02T12:00:00.000Z')
const TUESDAY = new Date('2026-03-03T12:00:00.000Z')

const FIELDS: ValueFields = {
  name: 'no_promises',
  description: 'Never promise a date.',
  type: 'BOUNDARY',
  severity: 'advisory',
  isActive: true,
}
const stored = (id: string, given: Partial<StoredValue> = {}): StoredValue => ({
  ...FIELDS,
  id,
  orgId: 'org-1',
  name: id,
  sortOrder: 0,
  createdBy: 'user-1',
  updatedBy: 'user-1',
  createdAt: MONDAY,
  updatedAt: MONDAY,
  ...given,
})
const add = (values: readonly StoredValue[], fields: Partial<ValueFields> = {}) =>
  addValue(values, { ...FIELDS, ...fields }, { id: 'cv-1', orgId: 'org-1', by: 'u', at: MONDAY })
const change = (before: StoredValue, patch: Partial<ValueFields>, others: StoredValue[] = []) =>
  changeValue([before, ...others], before.id, patch, { by: 'user-2', at: TUESDAY })

describe('a new value', () => {
  it('is appended, even after a gap, and logs every field', () => {
    const values = [stored('a', { sortOrder: 0 }), stored('b', { sortOrder: 7 })]
    expect(add([])).toMatchObject({ outcome: 'changed', result: { sortOrder: 0 } })
    expect(add(values)).toMatchObject({
      outcome: 'changed',
      result: { sortOrder: 8, createdBy: 'u', updatedAt: MONDAY },
      logged: {
        action: 'create',
        valueId: 'cv-1',
        changes: {
          name: { from: null, to: 'no_promises' },
          severity: { from: null, to: 'advisory' },
          is_active: { from: null, to: true },
        },
      },
    })
  })

  it('is refused if there are twenty, including inactive ones', () => {
    const full = Array.from({ length: VALUES_MAX }, (_, n) => stored(`v${n}`, { isActive: false }))
    expect(add(full)).toEqual({ outcome: 'full' })
    expect(add(full.slice(1)).outcome).toBe('changed')
  })

  it('needs a unique name, ignoring case', () => {
    expect(add([stored('a', { name: 'No_Promises' })])).toEqual({ outcome: 'name_taken' })
  })
})

describe('a change of a value', () => {
  it('logs the old and new values and the author', () => {
    expect(change(stored('a'), { severity: 'mandatory', isActive: false })).toMatchObject({
      result: {
        severity: 'mandatory',
        updatedBy: 'user-2',
        updatedAt: TUESDAY,
        createdBy: 'user-1',
      },
      logged: {
        action: 'update',
        changes: {
          severity: { from: 'advisory', to: 'mandatory' },
          is_active: { from: true, to: false },
        },
      },
    })
  })

  it('is logged as activate or deactivate only if nothing else changes', () => {
    const { description } = FIELDS
    const off = change(stored('a'), { isActive: false, description })
    expect(off).toMatchObject({ logged: { action: 'deactivate' } })
    const on = change(stored('a', { isActive: false }), { isActive: true })
    expect(on).toMatchObject({ logged: { action: 'activate' } })
  })

  it('to the current value is no change', () => {
    const before = stored('a')
    expect(change(before, { name: 'a', isActive: true })).toEqual({
      outcome: 'same',
      result: before,
    })
    expect(change(before, {})).toEqual({ outcome: 'same', result: before })
  })

  it('can change the case of a name, but cannot reuse another one', () => {
    expect(change(stored('a'), { name: 'A' }).outcome).toBe('changed')
    expect(change(stored('a'), { name: 'B' }, [stored('b')])).toEqual({ outcome: 'name_taken' })
  })

  it('of an unknown value is refused, and so is its removal', () => {
    const by = { by: 'u', at: MONDAY }
    expect(changeValue([stored('a')], 'b', {}, by)).toEqual({ outcome: 'unknown' })
    expect(removeValue([stored('a')], 'b')).toEqual({ outcome: 'unknown' })
  })
})

describe('a removal', () => {
  it('logs the removed value', () => {
    expect(removeValue([stored('a')], 'a')).toMatchObject({
      logged: {
        action: 'delete',
        valueId: 'a',
        changes: { description: { from: 'Never promise a date.', to: null } },
        metadata: { name: 'a' },
      },
    })
  })
})

describe('a reordering', () => {
  const values = [stored('a'), stored('b'), stored('c')]

  it.each([[['a', 'b']], [['a', 'b', 'b']], [['a', 'b', 'c', 'c']], [['a', 'b', 'd']], [[]]])(
    'must name every value once: %j',
    (order) => {
      expect(reorderValues(values, order)).toEqual({ outcome: 'not_every_id_once' })
    },
  )

  it('to the current order changes nothing, even without values', () => {
    expect(reorderValues(values, ['a', 'b', 'c']).outcome).toBe('same')
    expect(reorderValues([], []).outcome).toBe('same')
  })

  it('is logged without a value name', () => {
    expect(reorderValues(values, ['c', 'a', 'b'])).toMatchObject({
      logged: {
        action: 'reorder',
        valueId: null,
        changes: { order: { from: ['a', 'b', 'c'], to: ['c', 'a', 'b'] } },
      },
    })
  })
})

describe('the mode', () => {
  it('changes only the given fields, and logs only actual changes', () => {
    expect(switchMode(INITIAL, { mode: 'replace' })).toMatchObject({
      result: { mode: 'replace', enabled: true },
      logged: {
        action: 'mode_change',
        valueId: null,
        changes: { mode: { from: 'augment', to: 'replace' } },
      },
    })
    expect(switchMode(INITIAL, { enabled: true, mode: 'augment' }).outcome).toBe('same')
    expect(switchMode(INITIAL, {}).outcome).toBe('same')
  })
})
