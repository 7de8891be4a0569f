import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayOf, lastDays, monthsBefore, noticesDue, periodOf, usagePercent } from './quota.ts'

const amount = fc.nat({ max: 1_000_000_000 })
const quota = fc.integer({ min: 1, max: 1_000_000_000 })
const instant = fc.date({
  min: new Date('1990-01-01T00:00:00Z'),
  max: new Date('2100-12-31T23:59:59Z'),
  noInvalidDate: true,
})

describe('the examples of the specification', () => {
  it.each([
    [11_999, 15_000, 79, []],
    [12_000, 15_000, 80, ['warning']],
    [15_000, 15_000, 100, ['warning']],
    [159, 200, 79, []],
    [160, 200, 80, ['warning']],
    [200, 200, 100, ['warning']],
    [201, 200, 100, ['warning', 'exceeded']],
    [220, 200, 110, ['warning', 'exceeded']],
  ])('%d of %d is %d percent', (used, included, percent, due) => {
    expect(usagePercent(used, included)).toBe(percent)
    expect(noticesDue(used, included)).toEqual(due)
  })
})

describe('usagePercent', () => {
  it('is null for an included amount of 0 and for an unlimited one', () => {
    expect(usagePercent(7, 0)).toBeNull()
    expect(usagePercent(7, null)).toBeNull()
  })

  it('is the used percentage, rounded down', () => {
    fc.assert(
      fc.property(amount, quota, (used, included) => {
        const percent = BigInt(usagePercent(used, included) ?? -1)
        expect(percent * BigInt(included) <= 100n * BigInt(used)).toBe(true)
        expect((percent + 1n) * BigInt(included) > 100n * BigInt(used)).toBe(true)
      }),
    )
  })
})

describe('noticesDue', () => {
  it('is empty while nothing is used, even for a quota of 0', () => {
    fc.assert(
      fc.property(fc.nat(), (included) => {
        expect(noticesDue(0, included)).toEqual([])
      }),
    )
  })

  it('reports the first use of a quota of 0 as exceeding it', () => {
    expect(noticesDue(1, 0)).toEqual(['warning', 'exceeded'])
  })

  it('warns from exactly four fifths and exceeds from the first unit beyond the quota', () => {
    fc.assert(
      fc.property(quota, (included) => {
        const edge = Math.ceil((4 * included) / 5)
        expect(noticesDue(edge, included)).toContain('warning')
        expect(noticesDue(edge - 1, included)).not.toContain('warning')
        expect(noticesDue(included, included)).not.toContain('exceeded')
        expect(noticesDue(included + 1, included)).toContain('exceeded')
      }),
    )
  })

  it('never withdraws a notice as use grows', () => {
    fc.assert(
      fc.property(amount, fc.nat({ max: 1000 }), quota, (used, more, included) => {
        expect(noticesDue(used + more, included)).toEqual(
          expect.arrayContaining(noticesDue(used, included)),
        )
      }),
    )
  })
})

describe('periodOf', () => {
  it.each([
    ['2026-02-28T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2026-12-31T12:00:00.000Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ])('puts %s into its calendar month', (at, start, end) => {
    const period = periodOf(new Date(at))
    expect([period.start.toISOString(), period.end.toISOString()]).toEqual([start, end])
  })

  it('assigns every instant to one month, whose end is the start of the next', () => {
    fc.assert(
      fc.property(instant, (at) => {
        const { start, end } = periodOf(at)
        expect(start <= at && at < end).toBe(true)
        expect(periodOf(end).start).toEqual(end)
        expect(dayOf(start).endsWith('-01')).toBe(true)
      }),
    )
  })
})

describe('lastDays', () => {
  it('ends with today and has no gap, even across months', () => {
    expect(lastDays(new Date('2026-03-01T00:00:00.000Z'), 3)).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ])
  })

  it('returns the requested number of consecutive days', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 90 }), (at, count) => {
        const days = lastDays(at, count)
        expect(new Set(days).size).toBe(count)
        expect([...days].sort()).toEqual(days)
        expect(days.at(-1)).toBe(dayOf(at))
        const first = new Date(`${days[0]}T00:00:00Z`).getTime()
        const last = new Date(`${dayOf(at)}T00:00:00Z`).getTime()
        expect((last - first) / 86_400_000).toBe(count - 1)
      }),
    )
  })
})

describe('monthsBefore', () => {
  it.each([
    ['2026-03-15T10:00:00Z', '2024-02-15'],
    ['2026-03-31T10:00:00Z', '2024-02-29'],
    ['2027-03-31T10:00:00Z', '2025-02-28'],
    ['2026-01-01T00:00:00Z', '2023-12-01'],
  ])('25 months before %s is %s', (at, day) => {
    expect(dayOf(monthsBefore(new Date(at), 25))).toBe(day)
  })
})
