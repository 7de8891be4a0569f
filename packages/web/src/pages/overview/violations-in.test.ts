import { describe, expect, it } from 'vitest'
import { VIOLATIONS_MAX, violationsIn } from './violations-in.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 10, 18, hour))
const newest = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ detected_at: at(23 - number).toISOString() }))

describe('the violations of a range', () => {
  it('are those between its ends', () => {
    const found = violationsIn(newest(10), { from: at(20), to: at(22) })
    expect(found.violations.map((one) => one.detected_at)).toEqual(
      [22, 21, 20].map((hour) => at(hour).toISOString()),
    )
    expect(found.hasMore).toBe(false)
  })

  it('may be more than were found if all that were fetched are newer than its beginning', () => {
    const past = { from: at(0), to: at(2) }
    const full = newest(VIOLATIONS_MAX)
    expect(violationsIn(full, past)).toEqual({ violations: [], hasMore: true })
    expect(violationsIn(full.slice(1), past)).toEqual({ violations: [], hasMore: false })
    expect(violationsIn(full, { from: at(12), to: at(23) }).hasMore).toBe(false)
  })
})
