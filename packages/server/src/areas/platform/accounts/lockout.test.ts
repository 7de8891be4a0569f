import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FAILURES_MAX, lockedSeconds, WINDOW_MS } from './lockout.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const ago = (ms: number) => new Date(now.getTime() - ms)

describe('lockedSeconds', () => {
  it('does not lock after four failures', () => {
    expect(lockedSeconds([ago(1), ago(2), ago(3), ago(4)], now)).toBeUndefined()
  })

  it('locks after the fifth failure until the oldest of the five leaves the window', () => {
    const failures = [ago(1000), ago(2000), ago(3000), ago(4000), ago(60_500)]
    expect(lockedSeconds(failures, now)).toBe(840)
  })

  it('does not count failures outside the window', () => {
    const failures = [ago(1), ago(2), ago(3), ago(4), ago(WINDOW_MS)]
    expect(lockedSeconds(failures, now)).toBeUndefined()
  })

  it('returns a wait after which another attempt is allowed', () => {
    const ages = fc.array(fc.integer({ min: 0, max: 2 * WINDOW_MS }), { maxLength: 12 })
    fc.assert(
      fc.property(ages, (list) => {
        const failures = list.map(ago)
        const wait = lockedSeconds(failures, now)
        if (wait === undefined) return
        const then = new Date(now.getTime() + wait * 1000)
        expect(wait).toBeGreaterThanOrEqual(1)
        expect(wait).toBeLessThanOrEqual(WINDOW_MS / 1000)
        expect(lockedSeconds(failures, then)).toBeUndefined()
        const inWindow = failures.filter((f) => f.getTime() > now.getTime() - WINDOW_MS)
        expect(inWindow.length).toBeGreaterThanOrEqual(FAILURES_MAX)
      }),
    )
  })
})
