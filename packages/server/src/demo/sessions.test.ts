import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CAST } from './cast.ts'
import { firstWeek, sessionsOf, weekStart } from './sessions.ts'
import { storyUntil } from './story.ts'
import { thinkingOf } from './words.ts'

const WEEK_MS = 7 * 24 * 3_600_000
const anyTime = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2030-01-01T00:00:00Z'),
  noInvalidDate: true,
})

describe('weekStart', () => {
  it('is the preceding Sunday, like the weeks of scores', () => {
    expect(weekStart(new Date('2026-03-04T10:00:00Z'))).toEqual(new Date('2026-03-01T00:00:00Z'))
    expect(weekStart(new Date('2026-03-01T00:00:00Z'))).toEqual(new Date('2026-03-01T00:00:00Z'))
    expect(weekStart(new Date('2026-02-28T23:59:59Z'))).toEqual(new Date('2026-02-22T00:00:00Z'))
  })
})

describe('the story', () => {
  it('lies within twelve weeks and never in the future, whatever the current time', () => {
    fc.assert(
      fc.property(anyTime, (now) => {
        const times = storyUntil(now, 1).map(({ at }) => at.getTime())
        expect(Math.max(...times)).toBeLessThanOrEqual(now.getTime())
        expect(Math.min(...times)).toBeGreaterThanOrEqual(firstWeek(now).getTime())
        expect(now.getTime() - firstWeek(now).getTime()).toBeLessThan(12 * WEEK_MS)
        expect([...times].sort((a, b) => a - b)).toEqual(times)
      }),
      { numRuns: 30 },
    )
  })

  it('rates every agent from the first week on, except the new one', () => {
    fc.assert(
      fc.property(anyTime, (now) => {
        const secondWeek = firstWeek(now).getTime() + WEEK_MS
        for (const [place, part] of CAST.entries()) {
          const sessions = sessionsOf(part, now, place)
          const tasks = sessions.flatMap((session) => session.tasks)
          const early = tasks.filter(({ at }) => at.getTime() < secondWeek - 1_800_000)
          if (part.id === 'demo-onboard-moss') expect(tasks.length).toBeLessThan(50)
          else expect(early.length, part.id).toBeGreaterThanOrEqual(50)
          expect(tasks.length).toBeLessThanOrEqual(400)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('has no two equal thoughts, each long enough to be analysed', () => {
    const now = new Date('2026-03-04T10:00:00Z')
    for (const [place, part] of CAST.entries()) {
      const sessions = sessionsOf(part, now, place)
      const texts = sessions.flatMap(({ tasks }) => tasks.map((d) => thinkingOf(part, d)))
      expect(new Set(texts).size).toBe(texts.length)
      expect(Math.min(...texts.map((text) => text.length))).toBeGreaterThan(400)
    }
  })
})
