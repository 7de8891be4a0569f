import { describe, expect, it } from 'vitest'
import { isNudged, type Nudging, nudgeMessage } from './nudge.ts'

const nudging = (given: Partial<Nudging>): Nudging => ({
  strategy: 'always',
  rate: 100,
  threshold: 3,
  ...given,
})
const share = (rate: number): number => {
  const ids = Array.from({ length: 2000 }, (_, n) => `ndg-${n}`)
  const setting = nudging({ strategy: 'sampling', rate })
  return ids.filter((nudgeId) => isNudged(setting, { nudgeId, notClear: 1 })).length / ids.length
}

describe('a checkpoint that is not clear', () => {
  it('always or never causes a nudge', () => {
    const about = { nudgeId: 'ndg-1', notClear: 1 }
    expect(isNudged(nudging({}), about)).toBe(true)
    expect(isNudged(nudging({ strategy: 'off' }), about)).toBe(false)
  })

  it('causes a nudge from the n-th of its session on', () => {
    const setting = nudging({ strategy: 'threshold', threshold: 3 })
    const nudged = [1, 2, 3, 4].map((notClear) => isNudged(setting, { nudgeId: 'ndg-1', notClear }))
    expect(nudged).toEqual([false, false, true, true])
  })

  it('causes nudges at the configured rate: never at 0, always at 100', () => {
    expect(share(0)).toBe(0)
    expect(share(100)).toBe(1)
    expect(Math.abs(share(30) - 0.3)).toBeLessThan(0.05)
  })

  it('is described in one line by type and severity', () => {
    const about = { violationType: 'FORBIDDEN_ACTION', severity: 'critical' }
    expect(nudgeMessage({ verdict: 'boundary_violation', ...about })).toBe(
      'Integrity violation FORBIDDEN_ACTION, severity critical.',
    )
    expect(nudgeMessage({ verdict: 'review_needed', ...about })).toBe(
      'Review needed: FORBIDDEN_ACTION, severity critical.',
    )
    expect(
      nudgeMessage({ verdict: 'boundary_violation', violationType: null, severity: null }),
    ).toBe('Integrity violation ANALYSIS_FAILED, severity unknown.')
  })
})
