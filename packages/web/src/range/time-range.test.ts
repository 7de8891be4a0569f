import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  INTERVAL_MS,
  PRESETS,
  periodBefore,
  periodOf,
  readTimeRange,
  type TimeRange,
  writeTimeRange,
} from './time-range.ts'

const NOW = new Date('2026-11-18T12:34:56.000Z')
const DAY_MS = 86_400_000

const custom = fc
  .record({
    ageMs: fc.integer({ min: 0, max: 500 * DAY_MS }),
    lengthMs: fc.integer({ min: 1000, max: 400 * DAY_MS }),
  })
  .map(({ ageMs, lengthMs }) => {
    const to = NOW.getTime() - ageMs
    return { from: new Date(to - lengthMs).toISOString(), to: new Date(to).toISOString() }
  })

const range: fc.Arbitrary<TimeRange> = fc.oneof(fc.constantFrom(...PRESETS), custom)

describe('a time range', () => {
  it('survives the address', () => {
    fc.assert(
      fc.property(range, (one) => {
        expect(readTimeRange(writeTimeRange(one))).toEqual(one)
      }),
    )
  })

  it.each([
    undefined,
    7,
    '',
    '2h',
    'x..y',
    '2026-11-18T12:00:00Z',
    '2026-11-18T12:00:00Z..2026-11-18T12:00:00Z',
    '2026-11-18T12:00:00Z..2026-11-17T12:00:00Z',
    '2024-01-01T00:00:00Z..2026-01-01T00:00:00Z',
  ])('is not read from %s', (text) => {
    expect(readTimeRange(text)).toBeUndefined()
  })

  it.each([
    ['1h', 'minute', '2026-11-18T11:35:00.000Z', '2026-11-18T12:35:00.000Z'],
    ['24h', 'hour', '2026-11-17T13:00:00.000Z', '2026-11-18T13:00:00.000Z'],
    ['7d', 'hour', '2026-11-11T13:00:00.000Z', '2026-11-18T13:00:00.000Z'],
    ['30d', 'day', '2026-10-20T00:00:00.000Z', '2026-11-19T00:00:00.000Z'],
  ] as const)('of %s is shown in whole steps of a %s', (preset, interval, from, to) => {
    const period = periodOf(preset, NOW)
    expect(period).toEqual({ interval, from: new Date(from), to: new Date(to) })
  })

  it('is compared with as many steps directly before it, which the service still has', () => {
    fc.assert(
      fc.property(range, (one) => {
        const period = periodOf(one, NOW)
        const before = periodBefore(period)
        expect(before.to).toEqual(period.from)
        const lengthMs = period.to.getTime() - period.from.getTime()
        expect(before.to.getTime() - before.from.getTime()).toBe(lengthMs)
        expect(lengthMs % INTERVAL_MS[period.interval]).toBe(0)
        const ageMs = NOW.getTime() - before.from.getTime()
        if (period.interval === 'minute') expect(ageMs).toBeLessThanOrEqual(2 * DAY_MS)
        if (period.interval === 'hour') expect(ageMs).toBeLessThanOrEqual(90 * DAY_MS)
      }),
    )
  })
})
