import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readVectors } from './score-input.fixture.ts'
import { trend30d, weekStart } from './trend.ts'

type Vectors = {
  trends: {
    name: string
    log: { at: string; score: number }[]
    now: string
    score: number
    trend_30d: number
  }[]
  weeks: { at: string; week_start: string }[]
}
const { trends, weeks } = readVectors<Vectors>('trend')

describe('trend30d', () => {
  it.each(trends)('$name: $trend_30d', ({ log, now, score, trend_30d }) => {
    const entries = log.map((entry) => ({ atMs: Date.parse(entry.at), score: entry.score }))
    expect(trend30d(score, { log: entries, nowMs: Date.parse(now) })).toBe(trend_30d)
  })

  it('needs only the last entry that is old enough', () => {
    const entry = fc.record({ atMs: fc.nat(10 ** 10), score: fc.nat(1000) })
    const nowMs = 10 ** 10
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ({ atMs }) => atMs }), (log) => {
        const old = log.filter(({ atMs }) => atMs <= nowMs - 30 * 86_400_000)
        const last = old.toSorted((a, b) => a.atMs - b.atMs).slice(-1)
        expect(trend30d(500, { log: last, nowMs })).toBe(trend30d(500, { log, nowMs }))
      }),
    )
  })
})

describe('weekStart', () => {
  it.each(weeks)('of $at is $week_start', ({ at, week_start }) => {
    expect(weekStart(Date.parse(at))).toBe(week_start)
  })

  it('is a Sunday, at most six days back, and the same for the whole week', () => {
    const years = { min: Date.UTC(1990, 0), max: Date.UTC(2100, 0) }
    fc.assert(
      fc.property(fc.integer(years), (ms) => {
        const sunday = Date.parse(`${weekStart(ms)}T00:00:00Z`)
        expect(new Date(sunday).getUTCDay()).toBe(0)
        expect(ms - sunday).toBeGreaterThanOrEqual(0)
        expect(ms - sunday).toBeLessThan(7 * 86_400_000)
        expect(weekStart(sunday)).toBe(weekStart(ms))
      }),
    )
  })
})
