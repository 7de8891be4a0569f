import { describe, expect, it } from 'vitest'
import { alertsByDay, type DriftAlert, groupAlerts } from './drift-groups.ts'

const alert = (id: string, at: string, fields: Partial<DriftAlert> = {}) =>
  ({
    alert_id: id,
    kind: 'integrity',
    drift_direction: 'unknown',
    status: 'open',
    detected_at: at,
    ...fields,
  }) as DriftAlert

const ALERTS = [
  alert('c', '2026-11-19T09:00:00.000Z'),
  alert('b', '2026-11-19T08:00:00.000Z', { drift_direction: 'value_drift', kind: 'trace' }),
  alert('a', '2026-11-17T08:00:00.000Z', { status: 'resolved' }),
]

describe('drift alerts', () => {
  it('are grouped by what changed, with those that are open', () => {
    expect(groupAlerts(ALERTS).map(({ title, openIds }) => [title, openIds])).toEqual([
      ['Integrity drift', ['c']],
      ['Value drift', ['b']],
    ])
  })

  it('are counted by day', () => {
    const { buckets, series } = alertsByDay(ALERTS, new Date('2026-11-19T12:00:00.000Z'))
    expect(buckets).toHaveLength(14)
    const [resolved, open] = series.map(({ values }) => values.slice(-3))
    expect(resolved).toEqual([1, 0, 0])
    expect(open).toEqual([0, 0, 2])
  })
})
